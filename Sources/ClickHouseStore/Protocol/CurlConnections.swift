internal import CCurl
internal import Core
internal import Synchronization

/// HTTP requests with libcurl over connections that stay open between requests.
final class CurlConnections: Sendable {
  struct Request {
    var url: String
    var parameters: [String: String]
    var headers: [String]
    var body: [UInt8]
    /// Whether the request may reach the server twice.
    var isRepeatable: Bool
    var connectSeconds: Int
    var seconds: Int
    var answerBytes: Int
  }

  enum Outcome {
    case answer(status: Int, [UInt8])
    case tooLong
    case notSent(String)
    case noAnswer(String)
  }

  private let caFile: String?
  private let isEnded = Atomic(false)
  /// The handles that no thread uses, each with its open connection.
  private let idle = Mutex<[Handle]>([])
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  /// The maximum number of idle handles.
  private static let mostIdle = 16

  init(caFile: String?) { self.caFile = caFile }

  /// Ends running requests within about a second and rejects further ones.
  func end() { isEnded.store(true, ordering: .relaxed) }

  fileprivate var hasEnded: Bool { isEnded.load(ordering: .relaxed) }

  func send(_ request: Request) -> Outcome {
    guard !hasEnded else { return .notSent("Plumb is stopping") }
    guard Self.isReady, let handle = idle.withLock({ $0.popLast() }) ?? Handle() else {
      return .notSent("libcurl could not be started")
    }
    let outcome = handle.perform(request, caFile: caFile, for: self)
    // After an error the state of the connection is unknown.
    guard case .answer = outcome else { return outcome }
    idle.withLock { if $0.count < Self.mostIdle { $0.append(handle) } }
    return outcome
  }
}

/// A libcurl handle.
///
/// It is `@unchecked Sendable` because one thread uses it at a time: the thread that took it from the list of idle
/// handles or that created it.
private final class Handle: @unchecked Sendable {
  private let curl: UnsafeMutableRawPointer

  init?() {
    guard let curl = curl_easy_init() else { return nil }
    self.curl = curl
  }

  deinit { curl_easy_cleanup(curl) }

  func perform(
    _ request: CurlConnections.Request, caFile: String?, for connections: CurlConnections
  ) -> CurlConnections.Outcome {
    // The reset keeps connections and TLS sessions.
    curl_easy_reset(curl)
    var headers: UnsafeMutablePointer<curl_slist>?
    // `Expect: 100-continue` would delay every large insert.
    for line in request.headers + ["Expect:", "Content-Type: application/octet-stream"] {
      headers = curl_slist_append(headers, line) ?? headers
    }
    defer { curl_slist_free_all(headers) }
    prepare(request, caFile)
    if let headers { _ = plumb_curl_set_list(curl, CURLOPT_HTTPHEADER, headers) }
    let answer = Answer(most: request.answerBytes)
    _ = plumb_curl_set_data(curl, CURLOPT_WRITEFUNCTION, takeBytes)
    _ = plumb_curl_set_pointer(curl, CURLOPT_WRITEDATA, Unmanaged.passUnretained(answer).toOpaque())
    _ = plumb_curl_set_progress(curl, hasEnded, Unmanaged.passUnretained(connections).toOpaque())
    _ = plumb_curl_set_number(curl, CURLOPT_POST, 1)
    _ = plumb_curl_set_size(curl, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
    let code = request.body.withUnsafeBytes { bytes in
      // The body is not copied: it may have many megabytes, and it outlives the transfer.
      if bytes.isEmpty {
        _ = plumb_curl_set_text(curl, CURLOPT_COPYPOSTFIELDS, "")
      } else {
        _ = plumb_curl_set_pointer(curl, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      }
      return curl_easy_perform(curl)
    }
    if answer.isTooLong { return .tooLong }
    guard code == CURLE_OK else {
      let reason = String(cString: curl_easy_strerror(code))
      return Self.beforeSending.contains(code.rawValue) ? .notSent(reason) : .noAnswer(reason)
    }
    return .answer(status: plumb_curl_status(curl), answer.bytes)
  }

  /// The errors that occur before the first byte of a request is sent.
  private static let beforeSending = Set(
    [
      CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CACERT_BADFILE, CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL,
    ].map(\.rawValue))

  private func prepare(_ request: CurlConnections.Request, _ caFile: String?) {
    for (option, number) in [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT, request.connectSeconds), (CURLOPT_TIMEOUT, request.seconds),
      (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_TCP_NODELAY, 1), (CURLOPT_TCP_KEEPALIVE, 1),
    ] as [(CURLoption, Int)] {
      _ = plumb_curl_set_number(curl, option, number)
    }
    _ = plumb_curl_set_text(curl, CURLOPT_PROTOCOLS_STR, request.url.hasPrefix("https://") ? "https" : "http")
    // An empty text also disables proxies from environment variables.
    _ = plumb_curl_set_text(curl, CURLOPT_PROXY, "")
    let query = request.parameters.sorted { $0.key < $1.key }
      .map { "\(PercentEncoding.encode($0.key))=\(PercentEncoding.encode($0.value))" }
    _ = plumb_curl_set_text(curl, CURLOPT_URL, "\(request.url)?\(query.joined(separator: "&"))")
    if let caFile { _ = plumb_curl_set_text(curl, CURLOPT_CAINFO, caFile) }
    // libcurl repeats a request if a reused connection ends without a response, even if the server has received the
    // complete request. A fresh connection prevents that.
    if !request.isRepeatable { _ = plumb_curl_set_number(curl, CURLOPT_FRESH_CONNECT, 1) }
  }
}

/// The body of a response while it arrives. One thread uses it, and libcurl's callback runs on that thread.
private final class Answer {
  var bytes: [UInt8] = []
  var isTooLong = false
  let most: Int

  init(most: Int) { self.most = most }
}

private func takeBytes(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let answer = context.map({ Unmanaged<Answer>.fromOpaque($0).takeUnretainedValue() }) else { return 0 }
  let total = size * count
  guard answer.bytes.count + total <= answer.most else {
    answer.isTooLong = true
    // A return value other than the count ends the transfer.
    return 0
  }
  answer.bytes += UnsafeRawBufferPointer(start: bytes, count: total)
  return total
}

private func hasEnded(
  _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
  context.map { Unmanaged<CurlConnections>.fromOpaque($0).takeUnretainedValue().hasEnded } == true ? 1 : 0
}
