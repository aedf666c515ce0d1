public import Analysis
import Core
import Storage

extension GroupList: TableConvertible {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("kind", .optional(kind?.name)), ("sessions", .count(sessions)), ("diagnostics", .count(diagnostics)),
      ("total", .count(total)), ("kinds", .array(kinds.map(\.json))),
      (
        "newest",
        newest.map { .object([("release", .string($0.release)), ("sessions", .count($0.sessions))]) } ?? .null
      ), ("groups", .array(rows)),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  public var table: CSVTable {
    CSVTable(
      columns: [
        "id", "title", "kind", "state", "release", "diagnostics", "sessions", "users", "share.value", "share.low",
        "share.high", "share.n", "share_of", "first_seen", "last_seen", "introduced", "rate.value", "rate.low",
        "rate.high", "rate.counted", "newest_rate.release", "newest_rate.value", "newest_rate.low", "newest_rate.high",
        "newest_rate.counted", "owner", "note.text",
      ], rows: rows)
  }

  /// Each group with its rate in the newest adopted release.
  private var rows: [JSONOutput] {
    groups.map { group in
      var members = group.members
      let rate = newest?.rates[group.id]
      members.append(("newest_rate", rate?.json(("release", .optional(newest?.release))) ?? .null))
      return .object(members)
    }
  }
}

extension KindTotal {
  var json: JSONOutput {
    .object([
      ("kind", .string(kind.name)), ("groups", .count(groups)), ("diagnostics", .count(diagnostics)),
      ("share_of", .string((namesSessions ? GroupSummary.ShareBasis.sessions : .diagnostics).rawValue)),
    ])
  }
}

extension GroupRate {
  /// `leading`: members before the rate's own.
  func json(_ leading: (String, JSONOutput)...) -> JSONOutput {
    .object(
      leading + [
        ("value", .optional(estimate.value)), ("low", .optional(estimate.low)), ("high", .optional(estimate.high)),
        ("counted", .string(counted.rawValue)), ("count", .count(count)), ("sessions", .count(sessions)),
      ])
  }
}

extension GroupSummary {
  var json: JSONOutput { .object(members) }

  var members: [(String, JSONOutput)] {
    [
      ("id", .string(id)), ("title", .string(title)), ("kind", .string(kind.name)), ("symbolic", .bool(isSymbolic)),
      ("state", .string(status.name)), ("release", .optional(status.release)), ("diagnostics", .count(diagnostics)),
      ("sessions", .optional(sessions)), ("users", .optional(users)), ("share", share.json),
      ("share_of", .string(shareBasis.rawValue)), ("user_share", userShare.json),
      ("first_seen", .string(firstSeen.iso)), ("last_seen", .string(lastSeen.iso)),
      ("introduced", .optional(introduced)), ("days", .array(days.map(JSONOutput.count))),
      ("rate", rate?.json() ?? .null), ("owner", .optional(note.flatMap { $0.owner.isEmpty ? nil : $0.owner })),
      ("note", note?.json ?? .null),
    ]
  }
}

extension GroupNote {
  var json: JSONOutput {
    .object([("text", .string(text)), ("author", .string(author)), ("changed", .string(changed.iso))])
  }
}

extension GroupStatus {
  /// The release in which the group was resolved, or occurred again after that; nil for other states.
  public var release: String? {
    switch self {
    case .regressed(let release), .resolved(let release): release
    case .open, .ignored: nil
    }
  }
}

extension GroupDetail: TableConvertible {
  /// The JSON of the API. Unknown values are null.
  public func json() -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("window", window.json), ("slice", slice.json),
      ("group", group.json),
      (
        "releases",
        .array(
          releases.map {
            .object([
              ("release", .string($0.release)), ("first_day", .string($0.firstDay.iso)),
              ("last_day", .string($0.lastDay.iso)), ("diagnostics", .count($0.diagnostics)),
              ("regression", .bool($0.isRegression)),
            ])
          })
      ),
      ("rates", .array(rates.map { $0.rate.json(("release", .string($0.release))) })),
      ("ticket_template", .optional(ticket?.text)), ("systems", Self.json(systems)), ("devices", Self.json(devices)),
      ("samples", .array(samples.map(\.json))), ("threads", .array(threads.map(\.json))),
      ("calls", flame?.json ?? .null),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }

  /// The stored samples.
  public var table: CSVTable {
    CSVTable(
      columns: [
        "id", "kind", "day", "time", "received", "environment", "release", "build", "os", "device", "quantity",
      ],
      rows: samples.map(\.json))
  }

  /// The rates by release.
  public func table(_ name: DataTable) -> CSVTable? {
    guard name == .parts else { return nil }
    return CSVTable(
      columns: ["release", "value", "low", "high", "counted", "count", "sessions"],
      rows: rates.map { $0.rate.json(("release", .string($0.release))) })
  }

  private static func json(_ parts: [Part]) -> JSONOutput {
    .array(
      parts.map {
        .object([("name", .string($0.name)), ("title", .string($0.title)), ("diagnostics", .count($0.diagnostics))])
      })
  }
}

extension ThreadText {
  var json: JSONOutput {
    .object([
      ("number", .count(number)), ("attributed", .bool(isAttributed)),
      (
        "frames",
        .array(
          lines.map {
            .object([
              ("name", .string($0.name)), ("binary", .string($0.binary)), ("own", .bool($0.isOwn)),
              ("source", .optional($0.source.isEmpty ? nil : $0.source)),
            ])
          })
      ), ("omitted", .count(omitted)),
    ])
  }
}

extension FlameGraph {
  /// The nodes as one flat list, because call trees can be deeper than JSON parsers allow.
  var json: JSONOutput {
    .object([
      ("samples", .count(samples)), ("diagnostics", .count(diagnostics)),
      (
        "nodes",
        .array(
          nodes.map {
            .object([
              ("id", .string($0.id)), ("caller", .integer(Int64($0.parent))), ("name", .string($0.name)),
              ("binary", .string($0.binary)), ("own", .bool($0.isOwn)), ("samples", .count($0.samples)),
            ])
          })
      ),
    ])
  }
}

extension GroupImpact {
  /// The JSON of the API. Unknown values are null.
  func json(app: String) -> [UInt8] {
    let text = JSONOutput.object([
      ("schema", .count(HealthReport.schema)), ("app", .string(app)), ("release", .string(release)),
      ("window", window.json), ("sessions", .count(sessions)), ("crash_free", crashFree.json),
      ("previous", .optional(previous)),
      ("previous_crash_free", previousCrashFree.json), ("crashed", .count(crashed)),
      ("crashed_of", .string(basis.rawValue)), ("together", .number(together)),
      (
        "groups",
        .array(
          parts.map { part in
            .object([
              ("group", part.group.json), ("share", .number(part.share)),
              ("share_of", .string(part.basis.rawValue)), ("crash_free_without", part.without.json),
              ("new", .bool(part.isNew)),
            ])
          })
      ),
    ])
    return text.encoded() + [UInt8(ascii: "\n")]
  }
}
