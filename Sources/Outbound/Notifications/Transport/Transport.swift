import CCurl

/// Sends a request and blocks until the response arrives.
protocol Transport: Sendable {
  func send(_ request: WebRequest, _ options: TransferOptions) -> TransferResult
  func send(_ request: MailRequest, _ options: TransferOptions) -> TransferResult
}

/// An HTTP POST.
struct WebRequest: Sendable {
  var address: Secret
  var headers: [(name: StaticString, value: String)] = []
  /// The token sent as `Authorization: Bearer`; nil for none.
  var token: Secret?
  /// The user name and password of HTTP basic authentication.
  var credentials: Credentials?
  var body: [UInt8]
}

/// A mail for an SMTP relay.
struct MailRequest: Sendable {
  var host: String
  var port: Int
  var encryption: MailChannel.Encryption
  var credentials: Credentials?
  var from: MailAddress
  var to: [MailAddress]
  var body: [UInt8]
}

/// A user name and its password.
struct Credentials: Sendable {
  var user: String
  var password: Secret
}

/// Options of the connection of one request.
struct TransferOptions: Sendable {
  var allowsPrivate = false
  var caFile: String?
  var proxy: String?
  /// The time limit for connecting, in seconds.
  var connectTime = 5.0
  var totalTime = 10.0
}

/// The result of sending a request.
enum TransferResult: Sendable, Equatable {
  /// The receiver answered with an HTTP or SMTP status.
  case answered(Answer)
  /// No response arrived. `isPassing`: whether another attempt may succeed.
  case failed(reason: String, isPassing: Bool)

  struct Answer: Sendable, Equatable {
    var status: Int
    /// The beginning of the body; for a mail relay, the last line.
    var words: String
    /// The seconds in the header `Retry-After`; nil without one.
    var retryAfter: Double?
  }
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
