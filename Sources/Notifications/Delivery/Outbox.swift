public import Foundation

/// What is still to be delivered, and what has become of it. It is used from one thread.
public protocol Outbox {
  /// Everything that is not delivered, the oldest message first.
  func pending() throws -> [Delivery]

  /// The receiver has taken it: it is not pending any more.
  func markDelivered(_ delivery: Delivery, at time: Date) throws

  /// It was not taken. It stays pending for the next run, unless `failure.kind` says that this is of no use.
  func markFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at time: Date) throws
}

/// Messages that are sent once: nothing is kept, and what fails is seen at once.
public struct SingleUseOutbox: Outbox {
  private let deliveries: [Delivery]

  public init(deliveries: [Delivery]) { self.deliveries = deliveries }

  public func pending() -> [Delivery] { deliveries }
  public func markDelivered(_ delivery: Delivery, at time: Date) {}
  public func markFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at time: Date) {}
}
