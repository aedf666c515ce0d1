internal import JSON
internal import Telemetry

extension NativeReader {
  /// `status` is required. A session without an id is known by all that it says.
  mutating func readSession(_ session: JSONObject) throws {
    try load.add(.sessions, at: session.value)
    let outcome = try Self.outcome(session.required("status"))
    let started = try time(session["started"])
    let sequence = try session["seq"].map { try Int64($0.integer()) }
    let updated = try session["at"].map { try time($0) }
    let duration = try session["duration"].flatMap { try sample($0, factor: 1) }
    let id = try session["id"].map { try Self.id($0) }
    sessions.append(
      SessionUpdate(
        id: id ?? "\(installation ?? "")|\(started.milliseconds)|\(outcome.name)|\(sequence ?? -1)|\(duration ?? -1)",
        outcome: outcome, started: started, sequence: sequence, updated: updated, user: installation,
        duration: duration))
  }

  static func id(_ value: JSONValue) throws -> String {
    let id = try value.text().id
    if id.isEmpty { throw value.failure("an id cannot be empty") }
    return id
  }

  private static func outcome(_ value: JSONValue) throws -> SessionOutcome {
    let status = try value.text()
    switch status {
    case "ok", "exited": return .healthy
    case "errored": return .errored
    case "unhandled": return .unhandled
    case "abnormal": return .abnormal
    case "crashed": return .crashed
    default:
      throw value.failure(
        "expected ok, exited, errored, unhandled, abnormal or crashed, found \(JSONPath.quoted(status.string))")
    }
  }
}
