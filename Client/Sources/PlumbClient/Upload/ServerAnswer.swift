import Foundation

/// How an upload ended.
enum UploadResult: Equatable, Sendable {
  /// The server answered. `retryAfter`: seconds. `isJSON`: false for the page of a captive portal or a proxy's login.
  case answered(status: Int, retryAfter: TimeInterval?, isJSON: Bool)
  /// No answer: offline, refused, cut off.
  case failed
}

/// What to do with a file after an answer: docs/api.md of the server has what each status means.
enum UploadDecision: Equatable, Sendable {
  /// The server has it: delete the file.
  case delivered
  /// It will never be taken: delete the file and count it.
  case lost(LossReason)
  /// Try again after the usual back-off, but not before so many seconds.
  case later(atLeast: TimeInterval)
  /// Address or key are wrong. What waits may become right with the app's next version: try rarely.
  case misdirected

  init(_ result: UploadResult) {
    guard case .answered(let status, let retryAfter, let isJSON) = result else {
      self = .later(atLeast: 0)
      return
    }
    switch status {
    case 200, 202: self = isJSON ? .delivered : .misdirected
    case 400, 415, 422: self = isJSON ? .lost(.refused) : .misdirected
    case 413: self = .lost(.large)
    case 408, 425, 429, 500...599: self = .later(atLeast: min(max(0, retryAfter ?? 0), Backoff.longest))
    default: self = .misdirected
    }
  }
}

extension UploadResult {
  /// Reads a response. A `Retry-After` with a date is compared with the server's own `Date`: the device's clock may be
  /// wrong.
  init(_ response: HTTPURLResponse) {
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
