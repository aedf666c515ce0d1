import ClickHouse
import Statistics
import Storage
import Telemetry

/// The statement of a query of rows, in the SQL that servers from 18.16 on have.
struct FactQuery {
  private let query: RowQuery
  private let table: String
  /// The day from which the age of bins is counted, in days since 1970.
  private let today: Int

  init(_ query: RowQuery, table: String, today: CalendarDay) {
    self.query = query
    self.table = table
    self.today = today.number
  }

  private static let names = "metric, variant, shownLabel, source, bin, step, form, member, memberBuild"

  /// The rows' columns under the names of `names`.
  private var selection: String {
    """
    metric, variant, \(label) AS shownLabel, source, \(bin) AS bin, \(resolution) AS step, form,
      \(member.name) AS member, \(member.build) AS memberBuild
    """
  }

  /// The sums of rows. The inner statement adds up entry by entry, the outer one collects the entries of each row. Every
  /// row has an entry, and every entry of a row its bounds, so that bounds are merged twice without harm.
  var sums: String {
    """
    SELECT \(Self.names), min(low1) AS least, max(high1) AS greatest, max(coarse1) AS level,
      groupArray(lowKey) AS lows, groupArray(highKey) AS highs, groupArray(total) AS sums
    FROM (
      SELECT \(selection), lowKey, highKey, sum(entry) AS total,
        minMerge(low) AS low1, maxMerge(high) AS high1, maxMerge(coarse) AS coarse1
      FROM \(table)
      ARRAY JOIN entryMap.lowKey AS lowKey, entryMap.highKey AS highKey, entryMap.sum AS entry
      WHERE \(conditions.joined(separator: " AND "))
      GROUP BY \(Self.names), lowKey, highKey
    )
    GROUP BY \(Self.names)
    ORDER BY \(Self.names)
    """
  }

  /// The numbers of users of rows, and the hashes of as many as show whether a set stores them.
  var users: String {
    """
    SELECT \(Self.names), count() AS users, groupArray(\(UserSet.exactLimit + 1))(user) AS hashes
    FROM (\(members)) GROUP BY \(Self.names)
    """
  }

  /// The registers of sketches of users.
  var sketches: String {
    """
    SELECT \(Self.names), groupArray(register) AS numbers, groupArray(top) AS ranks
    FROM (
      SELECT \(Self.names), bitShiftRight(user, \(UserSet.rankBits)) AS register, max(rank) AS top
      FROM (\(members)) GROUP BY \(Self.names), register
    )
    GROUP BY \(Self.names)
    """
  }

  /// The users of rows.
  private var members: String {
    """
    SELECT \(selection), user, rank FROM \(table)
    WHERE \(conditions.joined(separator: " AND ")) AND form >= \(UserForm.all.rawValue)
    GROUP BY \(Self.names), user, rank HAVING sum(n) > 0
    """
  }

  private var isDaily: Bool { query.bins == .days }
  /// Rows keep the bins in which they came; old ones are read as SQLite merges them, by the hour and then by the day.
  private var bin: String {
    if isDaily { return "toInt32(floor(start / 1440) * 1440)" }
    return """
      toInt32(multiIf(start < \((today - 35) * 1440), floor(start / 1440) * 1440, \
      start < \((today - 3) * 1440) AND resolution > 1, floor(start / 60) * 60, start))
      """
  }
  private var resolution: String {
    if isDaily { return "toUInt8(0)" }
    return """
      toUInt8(multiIf(start < \((today - 35) * 1440), 0, start < \((today - 3) * 1440) AND resolution > 1, 1, resolution))
      """
  }
  private var isLabelled: Bool { query.slice.label != nil || query.byLabel }
  private var label: String { isLabelled ? "label" : "''" }

  private var member: (name: String, build: String) {
    switch query.dimension {
    case nil: ("''", "''")
    case .release: ("version", "build")
    case .os: ("os", "''")
    case .device: ("model", "''")
    case .deviceClass: ("class", "''")
    case .attribute: ("value", "''")
    }
  }

  private var conditions: [String] {
    let slice = query.slice
    var conditions = [
      "kind = \(query.scope.rawValue)", "app = \(query.app)",
      "environment = \(ClickHouseText.literal(slice.environment))",
      "start >= \(query.window.from.number * 1440)", "start < \((query.window.to.number + 1) * 1440)",
    ]
    if let label = slice.label {
      conditions.append("label = \(ClickHouseText.literal(label))")
    } else {
      conditions.append(query.byLabel ? "label != ''" : "label = ''")
    }
    if let metrics = query.metrics {
      conditions.append(metrics.isEmpty ? "0" : "metric IN \(ClickHouseText.list(metrics))")
    }
    if query.leavesOutTotals { conditions.append("form != \(FactSums.Form.counter.rawValue)") }
    if let release = slice.release {
      let (version, title) = (ClickHouseText.literal(Unnamed.stored(release)), ClickHouseText.literal(release))
      let shown = "if(version = '', \(ClickHouseText.literal(Unnamed.title)), version)"
      conditions.append("(version = \(version) OR (build != '' AND concat(\(shown), ' (', build, ')') = \(title)))")
    }
    for (name, column) in [(slice.os, "os"), (slice.device, "model"), (slice.deviceClass, "class")] {
      if let name { conditions.append("\(column) = \(ClickHouseText.literal(Unnamed.stored(name)))") }
    }
    if let wanted = slice.attribute {
      conditions.append("attribute = \(ClickHouseText.literal(wanted.name))")
      conditions.append("value \(wanted.isExcluding ? "!=" : "=") \(ClickHouseText.literal(wanted.value))")
    } else if query.dimension == .attribute {
      conditions.append("attribute = \(ClickHouseText.literal(query.attribute ?? ""))")
    }
    return conditions
  }
}
