public import Foundation

/// A store of deliveries: the pending ones, and the result of each attempt. Used from one thread.
public protocol Outbox {
  /// All pending deliveries, the oldest message first.
  func pending() throws -> [Delivery]

  /// Records that the receiver has confirmed a delivery, which is then no longer pending.
  func markDelivered(_ delivery: Delivery, at time: Date) throws

  /// Records a failed attempt. The delivery stays pending for the next run, unless `failure.kind` is `refused`.
  func markFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at time: Date) throws
}

/// An outbox for messages that are sent once. It stores no results; the dispatcher returns them.
public struct SingleUseOutbox: Outbox {
  private let deliveries: [Delivery]

  public init(deliveries: [Delivery]) { self.deliveries = deliveries }

  public func pending() -> [Delivery] { deliveries }
  public func markDelivered(_ delivery: Delivery, at time: Date) {}
  public func markFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at time: Date) {}
}
