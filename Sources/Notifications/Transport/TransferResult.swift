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
