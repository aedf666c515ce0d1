/// Sends requests and waits for the answers. It blocks.
protocol Transport: Sendable {
  func send(_ request: WebRequest, _ options: TransferOptions) -> TransferResult
  func send(_ request: MailRequest, _ options: TransferOptions) -> TransferResult
}

/// One POST of HTTP.
struct WebRequest: Sendable {
  var address: Secret
  var headers: [(name: StaticString, value: String)] = []
  /// Sent as `Authorization: Bearer`.
  var token: Secret?
  /// Name and password of HTTP's basic authentication.
  var credentials: Credentials?
  var body: [UInt8]
}

/// One mail on its way to a relay.
struct MailRequest: Sendable {
  var host: String
  var port: Int
  var encryption: Channel.Mail.Encryption
  var credentials: Credentials?
  var from: MailAddress
  var to: [MailAddress]
  var body: [UInt8]
}

/// A name and its password.
struct Credentials: Sendable {
  var user: String
  var password: Secret
}

/// What a channel's requests have in common.
struct TransferOptions: Sendable {
  var allowsPrivate = false
  var caFile: String?
  var proxy: String?
  /// The limits of a connection's beginning and of everything, in seconds.
  var connectTime = 5.0
  var totalTime = 10.0
}

/// How a transfer ended.
enum TransferResult: Sendable, Equatable {
  /// The receiver answered with this status of HTTP or SMTP.
  case answered(Answer)
  /// There was no answer. What failed may work a moment later if it `isPassing`.
  case failed(reason: String, isPassing: Bool)

  struct Answer: Sendable, Equatable {
    var status: Int
    /// The beginning of the body, or the last line of a relay.
    var words: String
    /// What the header Retry-After asks for, in seconds.
    var retryAfter: Double?
  }
}
