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
