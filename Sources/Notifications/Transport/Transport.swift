/// Sends a request and blocks until the answer.
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
  var encryption: MailChannel.Encryption
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

/// Options of the connection.
struct TransferOptions: Sendable {
  var allowsPrivate = false
  var caFile: String?
  var proxy: String?
  /// Time limits of connecting and of the whole transfer, in seconds.
  var connectTime = 5.0
  var totalTime = 10.0
}

/// The result of a transfer.
enum TransferResult: Sendable, Equatable {
  /// The receiver answered with this status of HTTP or SMTP.
  case answered(Answer)
  /// There was no answer. `isPassing`: another attempt may succeed.
  case failed(reason: String, isPassing: Bool)

  struct Answer: Sendable, Equatable {
    var status: Int
    /// The beginning of the body, or a mail relay's last line.
    var words: String
    /// What the header Retry-After asks for, in seconds.
    var retryAfter: Double?
  }
}
