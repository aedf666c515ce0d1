internal import CCurl
internal import Foundation

extension CurlTransfer {
  func prepare(_ options: TransferOptions) {
    // Without it, time limits of the resolver use signals, which belong to no thread.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(options.connectTime))
    set(CURLOPT_TIMEOUT_MS, Self.milliseconds(options.totalTime))
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    // An empty text also turns off the proxies that variables of the environment name.
    set(CURLOPT_PROXY, options.proxy ?? "")
    if let caFile = options.caFile { set(CURLOPT_CAINFO, caFile) }
  }

  func prepare(_ request: WebRequest, address: String) {
    set(CURLOPT_PROTOCOLS_STR, WebAddress.isPlain(address) ? "http" : "https")
    set(CURLOPT_URL, address)
    set(CURLOPT_POST, 1)
    _ = plumb_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
    request.body.withUnsafeBytes { bytes in
      // It copies, although the type does not say so.
      let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      _ = plumb_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, start)
    }
    var lines = request.headers.map { "\($0.name): \(Self.visible($0.value))" }
    request.token?.use { lines.append("Authorization: Bearer \(Self.visible($0))") }
    // libcurl would wait for a "100 Continue" that few receivers send.
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
    // CURLAUTH_BASIC is a cast, which Swift does not import.
    if basic { set(CURLOPT_HTTPAUTH, 1) }
    set(CURLOPT_USERNAME, credentials.user)
    credentials.password.use { set(CURLOPT_PASSWORD, $0) }
  }

  /// A header's value without what could end its line.
  private static func visible(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }

  private static func milliseconds(_ seconds: Double) -> Int { max(1, Int(min(seconds, 3600) * 1000)) }
}
