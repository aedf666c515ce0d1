public import Notifications
public import Storage

/// A change of an incident, and whether people hear of it.
public struct Transition: Sendable, Hashable {
  /// As it is after the change.
  public var incident: Incident
  /// Nil when nobody is told: only the evidence changed, or it is silenced.
  public var event: AlertMessage.Event?

  public init(_ incident: Incident, _ event: AlertMessage.Event? = nil) {
    self.incident = incident
    self.event = event
  }
}
