/// What a client says it threw away before it could send it: Sentry's client reports.
public struct ClientLoss: Sendable, Hashable {
  /// `session`, `error`: what was lost.
  public var category: String
  /// `ratelimit_backoff`, `network_error`: why.
  public var reason: String
  public var quantity: Int

  public init(category: String, reason: String, quantity: Int) {
    self.category = category
    self.reason = reason
    self.quantity = quantity
  }
}
