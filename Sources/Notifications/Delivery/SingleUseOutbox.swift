public import Foundation

/// Messages that are sent once: nothing is kept, and what fails is seen at once.
public struct SingleUseOutbox: Outbox {
  private let deliveries: [Delivery]

  public init(deliveries: [Delivery]) { self.deliveries = deliveries }

  public func pending() -> [Delivery] { deliveries }
  public func markDelivered(_ delivery: Delivery, at time: Date) {}
  public func markFailed(_ delivery: Delivery, _ failure: DeliveryFailure, at time: Date) {}
}
