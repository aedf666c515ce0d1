import CCurl

/// Sends a request and blocks until the response arrives.
protocol Transport: Sendable {
  func send(_ request: WebRequest, _ options: TransferOptions) -> TransferResult
  func send(_ request: MailRequest, _ options: TransferOptions) -> TransferResult
}

/// Sends HTTPS and SMTP requests with libcurl. Redirects are not followed, no proxy or password is read from the
/// environment or from files, and certificates are verified.
struct CurlTransport: Transport {
  /// The result of libcurl's global initialization, which runs once (since version 7.84, on any thread).
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  func send(_ request: WebRequest, _ options: TransferOptions) -> TransferResult {
    request.address.use { address in
      if let problem = WebAddress.problem(address, allowsPrivate: options.allowsPrivate) {
        return .failed(reason: problem, isPassing: false)
      }
      guard let transfer = transfer(reach(address, options), options) else { return Self.noMemory }
      transfer.prepare(request, address: address)
      return transfer.run()
    }
  }

  func send(_ request: MailRequest, _ options: TransferOptions) -> TransferResult {
    guard let transfer = transfer(request.encryption == .none ? .inside : .anywhere, options) else {
      return Self.noMemory
    }
    transfer.prepare(request)
    return transfer.run()
  }

  private func reach(_ address: String, _ options: TransferOptions) -> ReachRule {
    // The connection is to the proxy, which decides what it can reach.
    if options.proxy != nil { return .anywhere }
    return WebAddress.isPlain(address) ? .inside : options.allowsPrivate ? .outsideAndInside : .outside
  }

  private func transfer(_ reach: ReachRule, _ options: TransferOptions) -> CurlTransfer? {
    guard Self.isReady, let transfer = CurlTransfer(reach) else { return nil }
    transfer.prepare(options)
    return transfer
  }

  private static let noMemory = TransferResult.failed(reason: "libcurl could not be started", isPassing: false)
}
