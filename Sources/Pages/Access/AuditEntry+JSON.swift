public import JSON
public import Storage
internal import Telemetry

extension AuditEntry {
  /// The JSON of the API and of `plumb audit`.
  public var json: JSONOutput {
    .object([
      ("id", .integer(id)), ("time", .string(time.iso)), ("by", .string(actor.kind.rawValue)),
      ("name", .string(actor.name)), ("action", .string(event.action)), ("app", .optional(event.app)),
      ("subject", .string(event.subject)), ("detail", .string(event.detail)),
    ])
  }
}
