import Core
import GRDB
import Ingest
import Statistics
import Storage

/// The conditions that rows of a table of `plumb.db` must meet to be readable, and the remedy for rows that do not.
struct CheckedTable: Sendable {
  let name: String
  let key: [String]
  /// The SQL conditions for an intact row, each with the column it concerns.
  let conditions: [(sql: String, about: String)]
  /// The column with encoded bytes and a check whether they can be decoded.
  let body: Body?
  /// The SQL expression for the row's app, in terms of the row's columns.
  let app: String
  let remedy: Remedy
  /// The count from which deleted rows are subtracted.
  let counted: RowCounts.Kind?

  struct Body: Sendable {
    let column: String
    let isWhole: @Sendable (UnsafeRawBufferPointer) -> Bool
  }

  /// The handling of a damaged row after its bytes were saved.
  enum Remedy {
    case delete
    /// The bytes are emptied, because other rows refer to the row.
    case empty
    /// A pack keeps the readable series.
    case repack
    /// The readable columns stay, because other rows refer to the row.
    case mend
  }

  init(
    _ name: String, key: [String], integers: [String] = [], nullable: [String] = [], texts: [String] = [],
    ranges: [(String, ClosedRange<Int>)] = [], conditions: [(sql: String, about: String)] = [], body: Body? = nil,
    app: String = "app", remedy: Remedy = .delete, counted: RowCounts.Kind? = nil
  ) {
    self.name = name
    self.key = key
    self.conditions =
      integers.map { ("typeof(\($0)) = 'integer'", $0) }
      + nullable.map { ("typeof(\($0)) IN ('integer', 'null')", $0) }
      + texts.map { ("typeof(\($0)) = 'text'", $0) }
      + ranges.map { ("\($0) BETWEEN \($1.lowerBound) AND \($1.upperBound)", $0) }
      + conditions + (body.map { [("typeof(\($0.column)) = 'blob'", $0.column)] } ?? [])
    self.body = body
    self.app = app
    self.remedy = remedy
    self.counted = counted
  }

  private static let farthestMinute = 3_652_500 * 1440
  private static let bins: [(String, ClosedRange<Int>)] = [
    ("start", -farthestMinute...farthestMinute), ("resolution", 0...2),
    ("source", Int(Source.allCases.map(\.rawValue).min() ?? 0)...Int(Source.allCases.map(\.rawValue).max() ?? 0)),
  ]
  private static let diagnosticKinds = (
    "kind",
    Int(DiagnosticKind.allCases.map(\.rawValue).min() ?? 0)...Int(DiagnosticKind.allCases.map(\.rawValue).max() ?? 0)
  )
  private static let aggregate = Body(column: "body") { bytes in
    var reader = ByteReader(bytes)
    return (try? Aggregate(from: &reader)) != nil
  }
  private static let knownCell = (sql: "EXISTS (SELECT 1 FROM slice WHERE slice.id = cell)", about: "cell")

  private static func name(_ kind: NameKind, integers: [String] = [], texts: [String] = []) -> CheckedTable {
    CheckedTable(
      kind.rawValue, key: ["id"], integers: ["app", "used_day", "retired"] + integers,
      texts: [NameTable.text(kind)] + texts, conditions: [("typeof(uses) IN ('integer', 'real')", "uses")],
      remedy: .mend)
  }

  private static func numbers(_ table: RowTables.Table) -> CheckedTable {
    let name = table.rawValue
    return CheckedTable(
      name, key: RowTables.key, integers: RowTables.key + ["received"], ranges: bins, body: aggregate,
      app: "(SELECT slice.app FROM slice WHERE slice.id = \(name).slice)")
  }

  /// All tables; referenced tables come first.
  static let all: [CheckedTable] = [
    name(.environment, integers: ["newest_day"]), name(.release, texts: ["build"]), name(.system),
    name(.device, texts: ["class"]), name(.attribute, texts: ["name"]), name(.metric, integers: ["unit", "kind"]),
    name(.label, integers: ["metric"]),
    CheckedTable(
      "attribute_member", key: ["attribute_set", "attribute"], integers: ["attribute_set", "attribute"],
      conditions: ["attribute_set", "attribute"].map { ("\($0) IN (SELECT id FROM attribute)", $0) },
      app: "(SELECT owner.app FROM attribute AS owner WHERE owner.id = attribute_member.attribute_set)"),
    CheckedTable("client", key: ["id"], integers: ["app"], texts: ["name"]),
    CheckedTable("own_binary", key: ["app", "name"], integers: ["app"], texts: ["name"]),
    CheckedTable(
      "slice", key: ["id"], integers: ["app", "environment", "kind", "release", "os", "device", "attribute"],
      texts: ["class"], ranges: [("kind", 0...9)],
      conditions: [("environment IN (SELECT id FROM environment)", "environment")]
        + ["release", "os", "device", "attribute"].map { ("\($0) = 0 OR \($0) IN (SELECT id FROM \($0))", $0) },
      remedy: .mend),
    numbers(.cells), numbers(.rollups), numbers(.daySums),
    CheckedTable(
      RowTables.packs, key: ["id"], integers: ["received"],
      body: Body(column: "body") { DayPackReader.forEachSeries(of: $0) { _, _ in }.isEmpty },
      app: "(SELECT slice.app FROM slice WHERE slice.id = \(RowTables.packs).id >> 26)", remedy: .repack),
    CheckedTable(
      "session", key: ["app", "sid"],
      integers: ["app", "sid", "sequence", "explicit", "outcome", "minute", "cell", "source", "received"],
      nullable: ["user", "user_grade", "user_sequence", "age"],
      ranges: [
        ("minute", -farthestMinute...farthestMinute), ("received", -3_652_500...3_652_500), ("source", 0...255),
        ("outcome", 0...255), ("explicit", 0...1),
      ], conditions: [knownCell, ("(user_grade IS NULL) = (user_sequence IS NULL)", "user_grade")], counted: .session),
    CheckedTable(
      "stream", key: ["app", "stream", "start"], integers: ["app", "stream", "start", "time", "received"],
      // Without bytes, increases are counted from the next value.
      body: Body(column: "value") { $0.isEmpty || (try? MeasurementValueBytes.decode($0)) != nil }, remedy: .empty,
      counted: .stream),
    CheckedTable(
      "arrival", key: ["environment", "start", "release"],
      integers: ["environment", "start", "release", "seen", "crashed"],
      body: Body(column: "users") { bytes in
        var reader = ByteReader(bytes)
        return (try? UserSet(from: &reader)) != nil
      }, app: "(SELECT environment.app FROM environment WHERE environment.id = arrival.environment)"),
    CheckedTable(
      "installation", key: ["environment", "user"], integers: ["environment", "user", "release", "since", "seen"],
      app: "(SELECT environment.app FROM environment WHERE environment.id = installation.environment)",
      counted: .installation),
    CheckedTable(
      "session_age", key: ["environment", "release", "day", "class", "age", "source"],
      integers: ["environment", "release", "day", "age", "source", "sessions", "crashed"], nullable: ["hung"],
      texts: ["class"],
      ranges: [("day", -3_652_500...3_652_500), ("age", 0...UpdateAge.allCases.count - 1), ("source", 1...5)],
      app: "(SELECT environment.app FROM environment WHERE environment.id = session_age.environment)"),
    CheckedTable(
      "measurement_age", key: ["environment", "release", "day", "class", "age", "source", "metric"],
      integers: ["environment", "release", "day", "age", "source", "metric"], texts: ["class"],
      ranges: [("day", -3_652_500...3_652_500), ("age", 0...UpdateAge.allCases.count - 1), ("source", 1...5)],
      body: aggregate,
      app: "(SELECT environment.app FROM environment WHERE environment.id = measurement_age.environment)"),
    CheckedTable("row_version", key: ["id"], integers: ["id", "newest", "all_days"], app: "NULL"),
    CheckedTable("day_version", key: ["app", "day"], integers: ["app", "day", "version"]),
    CheckedTable(
      "arrival_delay", key: ["environment", "day", "source", "event", "step"],
      integers: ["environment", "day", "source", "event", "step", "count"],
      ranges: [
        ("day", -3_652_500...3_652_500), ("source", 1...5), ("event", 0...DelayedEvent.allCases.count - 1),
        ("step", 0...ReportingDelayStep.count - 1),
      ], app: "(SELECT environment.app FROM environment WHERE environment.id = arrival_delay.environment)"),
    CheckedTable(
      "diagnostic", key: ["id"],
      integers: ["app", "identity", "kind", "cell", "source", "day", "received", "examined"],
      nullable: ["time", "session", "user", "type", "code", "signal", "signature"],
      ranges: [("day", -3_652_500...3_652_500), diagnosticKinds],
      conditions: [knownCell, ("typeof(quantity) IN ('real', 'integer', 'null')", "quantity")]
        + ["name", "termination", "reason"].map { ("typeof(\($0)) IN ('text', 'null')", $0) }, counted: .diagnostic),
    CheckedTable(
      "signature", key: ["id"], integers: ["app", "hash", "member", "generation"], texts: ["exception"],
      body: Body(column: "stem") { $0.isEmpty || NormalizedStack(encoded: [UInt8]($0), title: "") != nil },
      remedy: .mend),
    CheckedTable(
      "diagnostic_group", key: ["id"], integers: ["app", "fingerprint", "version", "kind", "symbolic", "cut"],
      nullable: ["successor"], texts: ["exception", "place", "binary"],
      body: Body(column: "prefixes") { $0.count % 8 == 0 }, remedy: .mend),
    CheckedTable(
      "signature_life", key: ["signature", "environment", "release"],
      integers: ["signature", "environment", "release", "first_day", "last_day", "count"], app: "NULL"),
    CheckedTable(
      "release_life", key: ["environment", "release"], integers: ["environment", "release", "first_day", "last_day"],
      ranges: [("first_day", -3_652_500...3_652_500), ("last_day", -3_652_500...3_652_500)],
      app: "(SELECT environment.app FROM environment WHERE environment.id = release_life.environment)"),
    CheckedTable(
      "tally", key: ["app", "day", "kind", "reason", "client", "release"], integers: ["app", "day", "kind"],
      texts: ["reason", "client", "release", "detail"],
      ranges: [("day", -3_652_500...3_652_500)], conditions: [("typeof(count) IN ('integer', 'real')", "count")]),
    CheckedTable("stream_eviction", key: ["app"], integers: ["app", "start"]),
    CheckedTable("app_state", key: ["app"], integers: ["app", "last_received"]),
    CheckedTable(
      "image", key: ["app", "release", "uuid", "name"], integers: ["app", "release", "own", "seen"],
      texts: ["uuid", "name"]),
  ]
}
