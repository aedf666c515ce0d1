internal import CCurl
internal import Foundation

/// One transfer of libcurl. Used by one thread, on which libcurl's callbacks also run.
final class CurlTransfer {
  let handle: UnsafeMutableRawPointer
  let reach: ReachRule
  /// Why the connection to the first refused address was not allowed.
  var refusal: String?
  /// The first 2,048 bytes of the response's body.
  var body: [UInt8] = []
  /// The received bytes of the response, including bytes that were not stored.
  var received = 0
  /// The last line with a status of 400 or more from a mail relay.
  var reply: String?
  /// Whether the transfer is SMTP instead of HTTP.
  var isMail = false
  var upload: [UInt8] = []
  var uploaded = 0
  private var lists: [UnsafeMutablePointer<curl_slist>] = []
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  static let mostKept = 2048
  /// The longest response in bytes. A longer transfer is ended.
  static let mostReceived = 64 * 1024

  /// Makes a transfer that may connect to the addresses of `reach`. Nil if memory is exhausted.
  init?(_ reach: ReachRule) {
    guard let handle = curl_easy_init() else {
      message.deallocate()
      return nil
    }
    self.handle = handle
    self.reach = reach
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(handle)
    for list in lists { curl_slist_free_all(list) }
    message.deallocate()
  }

  func set(_ option: CURLoption, _ number: Int) { _ = plumb_curl_set_number(handle, option, number) }
  func set(_ option: CURLoption, _ text: String) { _ = plumb_curl_set_text(handle, option, text) }

  func set(_ option: CURLoption, lines: [String]) {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines { list = curl_slist_append(list, line) ?? list }
    guard let list else { return }
    lists.append(list)
    _ = plumb_curl_set_list(handle, option, list)
  }

  /// Performs the transfer and blocks until it has ended.
  func run() -> TransferResult {
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = plumb_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
    _ = plumb_curl_set_opener(handle, openSocket, context)
    for (function, data, callback) in [
      (CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, takeBody), (CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA, takeHeader),
      (CURLOPT_READFUNCTION, CURLOPT_READDATA, giveUpload),
    ] as [(CURLoption, CURLoption, plumb_curl_data)] {
      _ = plumb_curl_set_data(handle, function, callback)
      _ = plumb_curl_set_pointer(handle, data, context)
    }
    return result(curl_easy_perform(handle))
  }

  private func result(_ code: CURLcode) -> TransferResult {
    if let refusal, code != CURLE_OK { return .failed(reason: refusal, isPassing: false) }
    let status = plumb_curl_status(handle)
    let isCut = code == CURLE_WRITE_ERROR && received > Self.mostReceived
    if code == CURLE_OK || isCut || (reply != nil && status >= 400) {
      let retryAfter = plumb_curl_retry_after(handle)
      let words = reply ?? String(decoding: body, as: UTF8.self)
      return .answered(
        TransferResult.Answer(status: status, words: words, retryAfter: retryAfter > 0 ? Double(retryAfter) : nil))
    }
    let detail = String(cString: message)
    return .failed(
      reason: detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail, isPassing: Self.isPassing(code))
  }

  private static func isPassing(_ code: CURLcode) -> Bool {
    [
      CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT,
      CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_SSL_CONNECT_ERROR,
      CURLE_HTTP2, CURLE_HTTP2_STREAM,
    ].contains(code)
  }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
  context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

/// Called by libcurl with the resolved address. libcurl connects to this address, so that a later DNS response cannot
/// redirect it.
private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let transfer = transfer(context), let address, let socket = plumb_curl_address(address),
    let target = IPAddress(socket)
  else { return plumb_curl_no_socket() }
  if let refusal = transfer.reach.refusal(target) {
    transfer.refusal = transfer.refusal ?? refusal
    return plumb_curl_no_socket()
  }
  return plumb_curl_open(address)
}

private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let transfer = transfer(context) else { return 0 }
  let total = size * count
  let room = min(total, CurlTransfer.mostKept - transfer.body.count)
  if room > 0 { transfer.body += UnsafeRawBufferPointer(start: bytes, count: room) }
  transfer.received += total
  // A return value other than the count ends the transfer.
  return transfer.received > CurlTransfer.mostReceived ? 0 : total
}

/// Called by libcurl for each header line. Ignores HTTP headers. For SMTP, the lines are the relay's replies.
private func takeHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  let total = size * count
  guard let transfer = transfer(context), transfer.isMail else { return total }
  let line = UnsafeRawBufferPointer(start: bytes, count: min(total, CurlTransfer.mostKept))
  if let first = line.first, first == UInt8(ascii: "4") || first == UInt8(ascii: "5") {
    transfer.reply = String(decoding: line, as: UTF8.self)
  }
  return total
}

private func giveUpload(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let transfer = transfer(context) else { return 0 }
  let piece = transfer.upload[transfer.uploaded...].prefix(size * count)
  let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
  piece.withUnsafeBytes { room.copyMemory(from: $0) }
  transfer.uploaded += piece.count
  return piece.count
}

extension CurlTransfer {
  func prepare(_ options: TransferOptions) {
    // Without this option the time limit of the DNS resolver uses signals, which are unsafe with threads.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(options.connectTime))
    set(CURLOPT_TIMEOUT_MS, Self.milliseconds(options.totalTime))
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    // An empty text also disables proxies from environment variables.
    set(CURLOPT_PROXY, options.proxy ?? "")
    if let caFile = options.caFile { set(CURLOPT_CAINFO, caFile) }
  }

  func prepare(_ request: WebRequest, address: String) {
    set(CURLOPT_PROTOCOLS_STR, WebAddress.isPlain(address) ? "http" : "https")
    set(CURLOPT_URL, address)
    set(CURLOPT_POST, 1)
    _ = plumb_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
    request.body.withUnsafeBytes { bytes in
      // libcurl copies the bytes, although the parameter is not const.
      let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      _ = plumb_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, start)
    }
    var lines = request.headers.map { "\($0.name): \(Self.visible($0.value))" }
    request.token?.use { lines.append("Authorization: Bearer \(Self.visible($0))") }
    // Without the empty Expect, libcurl waits for a "100 Continue" that few receivers send.
    set(CURLOPT_HTTPHEADER, lines: lines + ["Expect:"])
    prepare(request.credentials, basic: true)
  }

  func prepare(_ request: MailRequest) {
    isMail = true
    let scheme = request.encryption == .implicit ? "smtps" : "smtp"
    set(CURLOPT_PROTOCOLS_STR, scheme)
    set(CURLOPT_URL, "\(scheme)://\(request.host):\(request.port)")
    set(CURLOPT_USE_SSL, Int(request.encryption == .none ? CURLUSESSL_NONE.rawValue : CURLUSESSL_ALL.rawValue))
    set(CURLOPT_MAIL_FROM, "<\(request.from)>")
    set(CURLOPT_MAIL_RCPT, lines: request.to.map { "<\($0)>" })
    set(CURLOPT_UPLOAD, 1)
    upload = request.body
    _ = plumb_curl_set_size(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(upload.count))
    prepare(request.credentials, basic: false)
  }

  private func prepare(_ credentials: Credentials?, basic: Bool) {
    guard let credentials else { return }
    // The constant CURLAUTH_BASIC contains a cast, which Swift does not import.
    if basic { set(CURLOPT_HTTPAUTH, 1) }
    set(CURLOPT_USERNAME, credentials.user)
    credentials.password.use { set(CURLOPT_PASSWORD, $0) }
  }

  /// A header's value, in which bytes that could end its line are replaced.
  private static func visible(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  private static func milliseconds(_ seconds: Double) -> Int { max(1, Int(min(seconds, 3600) * 1000)) }
}
