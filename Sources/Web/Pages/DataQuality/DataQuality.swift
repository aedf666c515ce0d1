public import Analysis
import Core
public import Storage

/// The model of the data quality page: what happened to everything that an app's clients sent.
public struct DataQuality: Sendable, Equatable {
  public var app: String
  /// The days of receipt, in the app's time zone.
  var window: Window
  var digestedThrough: Int64
  var lastReceived: Timestamp?
  /// The number of reports that are included in the numbers.
  var accepted: Int { total(.accepted) }
  /// The number of requests with a known key that did not become reports: rejected, refused, repeated or empty.
  var turnedAway: Int {
    [TallyKind.rejected, .limited, .duplicate, .empty].reduce(0) { $0.addingSaturated(total($1)) }
  }
  var received: Int { accepted.addingSaturated(turnedAway) }
  /// Counts by kind and reason, the largest first.
  public var counts: [TallyKind: [Count]]
  /// Counts by client program and release, the largest first.
  var clients: [ClientCounts]

  /// The number of events with one reason, and the last of them.
  public struct Count: Sendable, Equatable {
    var reason: String
    var count: Int
    /// The key path of the last occurrence, or what was wrong with it; may be empty.
    var lastDetail: String
    var lastDay: CalendarDay
  }

  /// The counts of requests from one client program and release.
  struct ClientCounts: Sendable, Equatable {
    /// The program's name in the User-Agent; empty without one.
    var client: String
    /// The release; empty for requests refused before it was known.
    var release: String
    var accepted = 0
    var rejected = 0
    var refused = 0
    var duplicates = 0
    var late = 0

  }

  /// The sum of all counts of one kind.
  func total(_ kind: TallyKind) -> Int { (counts[kind] ?? []).reduce(0) { $0.addingSaturated($1.count) } }

  /// The count of one kind and reason.
  func count(_ kind: TallyKind, _ reason: String) -> Int {
    (counts[kind] ?? []).first { $0.reason == reason }?.count ?? 0
  }
}

extension DataQuality {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json),
      ("digested_through", .integer(digestedThrough)), ("last_received", .optional(lastReceived?.iso)),
      ("received", .count(received)), ("accepted", .count(accepted)), ("by_source", list(.accepted, "source")),
      ("empty", .count(total(.empty))), ("duplicates", .count(total(.duplicate))),
      ("reused_keys", .count(count(.duplicate, Self.reusedKey))),
      ("suspected_duplicates", .count(total(.suspectedDuplicate))),
      ("repeated_diagnostics", list(.repeatedDiagnostic, "kind")), ("rejected", list(.rejected, "reason")),
      ("set_aside", .count(total(.quarantined))), ("refused", list(.limited, "reason")),
      ("rejected_parts", list(.rejectedPart, "reason")), ("skipped_items", list(.skipped, "type")),
      ("rejected_samples", .count(total(.rejectedSample))), ("late", list(.late, "age")),
      ("late_sessions", .count(total(.lateSession))), ("simulated", .count(count(.setApart, "simulated"))),
      ("sessions_without_user", .count(count(.setApart, IntakeTally.withoutUser))),
      ("mixed_releases", .count(count(.setApart, "several releases"))),
      ("unknown_units", .count(count(.guessed, "unknown unit"))),
      ("assumed_times", .count(count(.guessed, "missing time"))), ("other", list(.capped, "kind")),
      ("lost_by_client", list(.lostByClient, "reason")), ("clients", .array(clients.map(\.json))),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// The reason that counts idempotency keys reused with different content.
  static let reusedKey = "idempotency key, other content"

  private func list(_ kind: TallyKind, _ name: String) -> JSONOutput {
    .array((counts[kind] ?? []).map { $0.json(name) })
  }
}

extension DataQuality.Count {
  /// The JSON of a count. `name`: the member for its reason.
  func json(_ name: String) -> JSONOutput {
    .object([
      (name, .string(reason)), ("count", .count(count)), ("last_day", .string(lastDay.iso)),
      ("last_example", .optional(lastDetail.isEmpty ? nil : lastDetail)),
    ])
  }
}

extension DataQuality.ClientCounts {
  var json: JSONOutput {
    .object([
      ("client", .optional(client.isEmpty ? nil : client)), ("release", .optional(release.isEmpty ? nil : release)),
      ("accepted", .count(accepted)), ("rejected", .count(rejected)), ("refused", .count(refused)),
      ("duplicates", .count(duplicates)), ("late", .count(late)),
    ])
  }
}

extension DataQuality: TableConvertible {
  /// The counts by client program.
  public var table: CSVTable {
    CSVTable(
      columns: ["client", "release", "accepted", "rejected", "refused", "duplicates", "late"],
      rows: clients.map(\.json))
  }
}
