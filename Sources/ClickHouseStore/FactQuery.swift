import Core
import Statistics
import Storage

/// The SQL statements of a row query, in the dialect of servers from 18.16 on.
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

  private static let columns = "metric, variant, shownLabel, source, bin, step, form, member, memberBuild"

  /// The selected columns, named like `columns`.
  private var selection: String {
    """
    metric, variant, \(label) AS shownLabel, source, \(bin) AS bin, \(resolution) AS step, form,
      \(member.name) AS member, \(member.build) AS memberBuild
    """
  }

  /// The sums of rows. The inner statement adds up entry by entry, the outer one collects the entries of each row. Each
  /// entry repeats the bounds of its row, because merging a minimum or maximum twice changes nothing.
  var sums: String {
    """
    SELECT \(Self.columns), min(low1) AS least, max(high1) AS greatest, max(coarse1) AS level,
      groupArray(lowKey) AS lows, groupArray(highKey) AS highs, groupArray(total) AS sums
    FROM (
      SELECT \(selection), lowKey, highKey, sum(entry) AS total,
        minMerge(low) AS low1, maxMerge(high) AS high1, maxMerge(coarse) AS coarse1
      FROM \(table)
      ARRAY JOIN entryMap.lowKey AS lowKey, entryMap.highKey AS highKey, entryMap.sum AS entry
      \(restriction(to: "form < \(UserForm.all.rawValue)"))
      GROUP BY \(Self.columns), lowKey, highKey
    )
    GROUP BY \(Self.columns)
    ORDER BY \(Self.columns)
    """
  }

  /// The number of users of each row, with up to `exactLimit + 1` hashes: one too many means that the set must be a
  /// sketch.
  var users: String {
    """
    SELECT \(Self.columns), count() AS users, groupArray(\(UserSet.exactLimit + 1))(user) AS hashes
    FROM (\(members)) GROUP BY \(Self.columns)
    """
  }

  /// The registers of sketches of users.
  var sketches: String {
    """
    SELECT \(Self.columns), groupArray(register) AS numbers, groupArray(top) AS ranks
    FROM (
      SELECT \(Self.columns), bitShiftRight(user, \(UserSet.rankBits)) AS register, max(rank) AS top
      FROM (\(members)) GROUP BY \(Self.columns), register
    )
    GROUP BY \(Self.columns)
    """
  }

  /// The users of rows.
  private var members: String {
    """
    SELECT \(selection), user, rank FROM \(table)
    \(restriction(to: "form >= \(UserForm.all.rawValue)"))
    GROUP BY \(Self.columns), user, rank HAVING sum(n) > 0
    """
  }

  private var isDaily: Bool { query.bins == .days }
  /// Stored rows keep their original bins. Old ones are read at the resolution to which SQLite merges them: hours, then
  /// days.
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
    case .attribute: (valueOfAttribute(query.attribute ?? query.slice.attribute?.name ?? ""), "''")
    case .combination:
      (
        "concat("
          + ["os", "model", "version", "build", "attribute", "value"].joined(
            separator: ", \(ClickHouseQuoting.literal(String(CombinedMember.separator))), ") + ")", "''"
      )
    }
  }

  /// The conditions of the query; `forms` selects sums or users. The filters come first, because their columns are read
  /// for all rows of the metrics. The arrays of numbers are read only for the remaining rows, which are few if a page
  /// has filters.
  private func restriction(to forms: String) -> String {
    "PREWHERE \(([forms] + filters).joined(separator: " AND ")) WHERE \(indexConditions.joined(separator: " AND "))"
  }

  /// The conditions by which a server finds the range of rows to read.
  private var indexConditions: [String] {
    var conditions = [
      "kind = \(query.sliceKind.rawValue)", "app = \(query.app)",
      "environment = \(ClickHouseQuoting.literal(query.slice.environment))",
    ]
    if let metrics = query.metrics {
      conditions.append(metrics.isEmpty ? "0" : "metric IN \(ClickHouseQuoting.list(metrics))")
    }
    return conditions
  }

  /// The remaining conditions.
  private var filters: [String] {
    let slice = query.slice
    var conditions = [
      "start >= \(query.window.from.number * 1440)", "start < \((query.window.to.number + 1) * 1440)",
    ]
    if let label = slice.label {
      conditions.append("label = \(ClickHouseQuoting.literal(label))")
    } else {
      conditions.append(query.byLabel ? "label != ''" : "label = ''")
    }
    if query.leavesOutTotals { conditions.append("form != \(FactSums.Form.counter.rawValue)") }
    if let release = slice.release {
      let (version, title) = (
        ClickHouseQuoting.literal(UnknownName.stored(release)), ClickHouseQuoting.literal(release)
      )
      let shown = "if(version = '', \(ClickHouseQuoting.literal(UnknownName.title)), version)"
      conditions.append("(version = \(version) OR (build != '' AND concat(\(shown), ' (', build, ')') = \(title)))")
    }
    if let os = slice.os {
      let prefix = SystemFilter(os).prefix
      conditions.append(
        prefix.map {
          "(os = \(ClickHouseQuoting.literal($0)) OR startsWith(os, \(ClickHouseQuoting.literal($0 + "."))))"
        }
          ?? "os = \(ClickHouseQuoting.literal(UnknownName.stored(os)))")
    }
    for (name, column) in [(slice.device, "model"), (slice.deviceClass, "class")] {
      if let name { conditions.append("\(column) = \(ClickHouseQuoting.literal(UnknownName.stored(name)))") }
    }
    if let wanted = slice.attribute {
      conditions.append(hasAttribute(wanted.name))
      let value = ClickHouseQuoting.literal(wanted.value)
      conditions.append("\(valueOfAttribute(wanted.name)) \(wanted.isExcluding ? "!=" : "=") \(value)")
    }
    if query.dimension == .attribute { conditions.append(hasAttribute(query.attribute ?? "")) }
    return conditions
  }

  // MARK: Attributes

  /// Whether rows have a value of the attribute. Only cells can have values of several attributes.
  private func hasAttribute(_ name: String) -> String {
    query.sliceKind == .cell
      ? "has(\(Self.parts("attribute")), \(ClickHouseQuoting.literal(name)))"
      : "attribute = \(ClickHouseQuoting.literal(name))"
  }

  /// The value of the attribute in rows that have one.
  private func valueOfAttribute(_ name: String) -> String {
    guard query.sliceKind == .cell else { return "value" }
    let index = "indexOf(\(Self.parts("attribute")), \(ClickHouseQuoting.literal(name)))"
    return "arrayElement(\(Self.parts("value")), \(index))"
  }

  /// The parts of a column with a text of `AttributeTexts`.
  private static func parts(_ column: String) -> String {
    "splitByChar(\(ClickHouseQuoting.literal(String(AttributeTexts.separator))), \(column))"
  }
}
