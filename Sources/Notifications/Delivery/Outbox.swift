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
