internal import CCurl

/// Short HTTP requests to a server that the operator has configured, such as a login provider.
///
/// Certificates are verified, redirects are not followed, no password is read from the environment, and the response's
/// time and size are bounded.
public struct WebClient: Sendable {
  /// A request: GET without a body, POST with a body.
  public struct Request: Sendable {
    var address: String
    var headers: [(name: String, value: String)]
    /// The body to post, such as form fields; nil for GET.
    var body: [UInt8]?

    public init(_ address: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil) {
      self.address = address
      self.headers = headers
      self.body = body
    }
  }

  /// The status and body of a response.
  public struct Answer: Sendable {
    public var status: Int
    public var body: [UInt8]
    /// The seconds of the header `Retry-After`; nil without it.
    public var retryAfter: Int?
  }

  /// The reason why no response arrived.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
  }

  /// The limits of one request.
  public struct Limits: Sendable {
    /// The longest time until the response is complete.
    public var seconds = 10
    /// The longest response, in bytes.
    public var bytes = 256 << 10
    /// Whether to use the proxy in the environment variables.
    public var usesProxy = false

    public init() {}
  }

  private let caFile: String?
  private let limits: Limits
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// `caFile`: a PEM file of CA certificates to trust instead of the system's.
  public init(caFile: String? = nil, limits: Limits = Limits()) { (self.caFile, self.limits) = (caFile, limits) }

  /// Sends a request and blocks until the response is complete. `isCancelled`: asked once a second whether to give up.
  public func send(_ request: Request, until isCancelled: (@Sendable () -> Bool)? = nil) throws(Failure) -> Answer {
    guard Self.isReady, let handle = curl_easy_init() else { throw Failure("libcurl could not be started") }
    defer { curl_easy_cleanup(handle) }
    let transfer = Transfer(most: limits.bytes, isCancelled)
    var headers: UnsafeMutablePointer<curl_slist>?
    let accept = request.headers.contains { $0.name == "Accept" } ? [] : [(name: "Accept", value: "application/json")]
    for (name, value) in request.headers + accept {
      headers = curl_slist_append(headers, "\(name): \(Self.visible(value))") ?? headers
    }
    defer { curl_slist_free_all(headers) }
    prepare(handle, request, headers)
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    _ = plumb_curl_set_data(handle, CURLOPT_WRITEFUNCTION, takeBytes)
    _ = plumb_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    if isCancelled != nil { _ = plumb_curl_set_progress(handle, isToEnd, context) }
    let code = curl_easy_perform(handle)
    guard !transfer.isTooLong else { throw Failure("the response is longer than \(limits.bytes) bytes") }
    guard code == CURLE_OK else { throw Failure(String(cString: curl_easy_strerror(code))) }
    let wait = plumb_curl_retry_after(handle)
    return Answer(
      status: plumb_curl_status(handle), body: transfer.bytes, retryAfter: wait > 0 ? Int(clamping: wait) : nil)
  }

  private func prepare(
    _ handle: UnsafeMutableRawPointer, _ request: Request, _ headers: UnsafeMutablePointer<curl_slist>?
  ) {
    let isPlain = request.address.lowercased().hasPrefix("http://")
    for (option, number) in [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT_MS, 5000), (CURLOPT_TIMEOUT, limits.seconds),
      (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
      (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
    ] as [(CURLoption, Int)] {
      _ = plumb_curl_set_number(handle, option, number)
    }
    _ = plumb_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, isPlain ? "http" : "https")
    // An empty text also disables proxies from environment variables.
    if !limits.usesProxy { _ = plumb_curl_set_text(handle, CURLOPT_PROXY, "") }
    _ = plumb_curl_set_text(handle, CURLOPT_URL, request.address)
    if let caFile { _ = plumb_curl_set_text(handle, CURLOPT_CAINFO, caFile) }
    if let headers { _ = plumb_curl_set_list(handle, CURLOPT_HTTPHEADER, headers) }
    guard let body = request.body else { return }
    _ = plumb_curl_set_number(handle, CURLOPT_POST, 1)
    _ = plumb_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
    // Without a pointer, such as for an empty array, libcurl would read standard input.
    if body.isEmpty { _ = plumb_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, "") }
    body.withUnsafeBytes { bytes in
      guard !bytes.isEmpty else { return }
      // libcurl copies the bytes, although the parameter is not const.
      _ = plumb_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
  }

  /// A header's value, in which bytes that could end its line are replaced.
  private static func visible(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}

/// The body of a response while it arrives. Used by one thread, on which libcurl's callback also runs.
private final class Transfer {
  var bytes: [UInt8] = []
  var isTooLong = false
  let most: Int

  let isCancelled: (@Sendable () -> Bool)?

  init(most: Int, _ isCancelled: (@Sendable () -> Bool)?) { (self.most, self.isCancelled) = (most, isCancelled) }
}

private func isToEnd(
  _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t, _: curl_off_t
) -> Int32 {
  let transfer = context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  return transfer?.isCancelled?() == true ? 1 : 0
}

private func takeBytes(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let transfer = context.map({ Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }) else { return 0 }
  let total = size * count
  guard transfer.bytes.count + total <= transfer.most else {
    transfer.isTooLong = true
    // A return value other than the count ends the transfer.
    return 0
  }
  transfer.bytes += UnsafeRawBufferPointer(start: bytes, count: total)
  return total
}
