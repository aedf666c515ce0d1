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
