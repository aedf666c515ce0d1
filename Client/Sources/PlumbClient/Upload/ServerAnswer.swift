import Foundation

/// The outcome of an upload.
enum UploadResult: Equatable, Sendable {
  /// The server answered. `retryAfter`: seconds. `isJSON`: false for a captive portal's page or a proxy's login.
  case answered(status: Int, retryAfter: TimeInterval?, isJSON: Bool)
  /// The server has moved for good (308).
  case moved(to: URL)
  /// There was no answer: the device was offline, or the connection was refused or interrupted.
  case failed
}

/// What to do with a file after an answer. The server's docs/api.md explains each status.
enum UploadDecision: Equatable, Sendable {
  /// The server has the file. Delete it.
  case delivered
  /// The server will never accept the file. Delete and count it.
  case lost(LossReason)
  /// Try again after the usual wait, but at least these seconds later.
  case later(atLeast: TimeInterval)
  /// Send the file to another address.
  case moved(to: URL)
  /// The address or key is wrong. The app's next version may correct it, so try rarely.
  case misdirected

  init(_ result: UploadResult) {
    switch result {
    case .failed: self = .later(atLeast: 0)
    case .moved(let url): self = .moved(to: url)
    case .answered(let status, let retryAfter, let isJSON):
      switch status {
      case 200, 202: self = isJSON ? .delivered : .misdirected
      case 400, 415, 422: self = isJSON ? .lost(.refused) : .misdirected
      case 413: self = .lost(.large)
      case 408, 425, 429, 500...599: self = .later(atLeast: min(max(0, retryAfter ?? 0), Backoff.longest))
      default: self = .misdirected
      }
    }
  }
}

extension UploadResult {
  /// Reads a response. A date in `Retry-After` is compared with the server's `Date`, because the device's clock may be
  /// wrong.
  init(_ response: HTTPURLResponse) {
    // Other redirections are temporary, or may change the method.
    if response.statusCode == 308,
      let target = response.value(forHTTPHeaderField: "Location")
        .flatMap({ URL(string: $0, relativeTo: response.url)?.absoluteURL })
    {
      self = .moved(to: target)
      return
    }
    let type = response.value(forHTTPHeaderField: "Content-Type")?.lowercased() ?? ""
    var seconds: TimeInterval?
    if let text = response.value(forHTTPHeaderField: "Retry-After")?.trimmingCharacters(in: .whitespaces) {
      if let number = TimeInterval(text), number.isFinite {
        seconds = number
      } else if let until = Self.date(text),
        let sent = response.value(forHTTPHeaderField: "Date").flatMap(Self.date)
      {
        seconds = until.timeIntervalSince(sent)
      }
    }
    self = .answered(status: response.statusCode, retryAfter: seconds, isJSON: type.contains("json"))
  }

  private static func date(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    return formatter.date(from: text)
  }
}

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
