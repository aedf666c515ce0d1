import JSON
import Storage
import Telemetry

extension DataQuality {
  /// The JSON of the API. What is not known is null.
  public func json() -> [UInt8] {
    let text = JSONNode.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json),
      ("digested_through", .integer(digestedThrough)), ("last_received", .optional(lastReceived?.iso)),
      ("received", .count(received)), ("accepted", .count(accepted)), ("by_source", list(.accepted, "source")),
      ("empty", .count(total(.empty))), ("duplicates", .count(total(.duplicate))),
      ("reused_keys", .count(count(.duplicate, Self.reusedKey))),
      ("suspected_duplicates", .count(total(.suspectedDuplicate))),
      ("repeated_diagnostics", list(.repeatedDiagnostic, "kind")), ("rejected", list(.rejected, "reason")),
      ("set_aside", .count(total(.quarantined))), ("refused", list(.limited, "reason")),
      ("rejected_parts", list(.rejectedPart, "reason")),
      ("rejected_samples", .count(total(.rejectedSample))), ("late", list(.late, "age")),
      ("late_sessions", .count(total(.lateSession))), ("simulated", .count(count(.setApart, "simulated"))),
      ("sessions_without_user", .count(count(.setApart, TallyDelta.withoutUser))),
      ("mixed_releases", .count(count(.setApart, "several releases"))),
      ("unknown_units", .count(count(.guessed, "unknown unit"))),
      ("assumed_times", .count(count(.guessed, "missing time"))), ("other", list(.capped, "kind")),
      ("lost_by_client", list(.lostByClient, "reason")), ("clients", .array(clients.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// The reason under which a key that was used again for other content is counted.
  static let reusedKey = "idempotency key, other content"

  private func list(_ kind: TallyKind, _ name: String) -> JSONNode {
    .array((counts[kind] ?? []).map { $0.json(name) })
  }
}

extension DataQuality.Count {
  /// `name` says what its reason is.
  func json(_ name: String) -> JSONNode {
    .object([
      (name, .string(reason)), ("count", .count(count)), ("last_day", .string(lastDay.iso)),
      ("last_example", .optional(lastDetail.isEmpty ? nil : lastDetail)),
    ])
  }
}

extension DataQuality.ClientCounts {
  var json: JSONNode {
    .object([
      ("client", .optional(client.isEmpty ? nil : client)), ("release", .optional(release.isEmpty ? nil : release)),
      ("accepted", .count(accepted)), ("rejected", .count(rejected)), ("refused", .count(refused)),
      ("duplicates", .count(duplicates)), ("late", .count(late)),
    ])
  }
}
