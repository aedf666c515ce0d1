import Core
import Statistics
import Storage

/// The expressions of a row query, in the dialect of servers from 18.16 on. `FactScan` makes statements of them.
struct FactQuery {
  let query: RowQuery
  /// The number of the query in its statement.
  let number: Int
  /// The day from which the age of bins is counted, in days since 1970.
  private let today: Int

  init(_ query: RowQuery, number: Int, today: CalendarDay) {
    self.query = query
    self.number = number
    self.today = today.number
  }

  /// Stored rows keep their original bins. Old ones are read at the resolution to which SQLite merges them: hours, then
  /// days.
  var bin: String {
    switch query.bins {
    case .window: "toInt32(\(query.window.from.number * 1440))"
    case .days: "toInt32(floor(start / 1440) * 1440)"
    case .finest:
      """
      toInt32(multiIf(start < \((today - 35) * 1440), floor(start / 1440) * 1440, \
      start < \((today - 3) * 1440) AND resolution > 1, floor(start / 60) * 60, start))
      """
    }
  }

  var resolution: String {
    guard query.bins == .finest else { return "toUInt8(0)" }
    return """
      toUInt8(multiIf(start < \((today - 35) * 1440), 0, start < \((today - 3) * 1440) AND resolution > 1, 1, resolution))
      """
  }

  var label: String { query.slice.label != nil || query.byLabel ? "label" : "''" }

  var member: (name: String, build: String) {
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

  /// The conditions by which a server finds the range of rows to read, besides that on metrics.
  var place: [String] {
    [
      "kind = \(query.sliceKind.rawValue)", "app = \(query.app)",
      "environment = \(ClickHouseQuoting.literal(query.slice.environment))",
    ]
  }

  var labels: String {
    if let label = query.slice.label { return "label = \(ClickHouseQuoting.literal(label))" }
    return query.byLabel ? "label != ''" : "label = ''"
  }

  /// The condition on days.
  var days: String { Self.days(of: query.window) }

  static func days(of window: Window) -> String {
    "start >= \(window.from.number * 1440) AND start < \((window.to.number + 1) * 1440)"
  }

  /// The condition on the kinds of rows; nil if the query wants all.
  var totals: String? {
    query.leavesOutTotals ? "form != \(FactSums.Form.counter.rawValue)" : nil
  }

  /// The filters by name.
  var names: [String] {
    let slice = query.slice
    var conditions: [String] = []
    if let release = slice.release { conditions += Self.isCalled(release) }
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

  /// The conditions on rows of a release that is called by its version, or by its `title`: the version with the build.
  private static func isCalled(_ name: String) -> [String] {
    var builds: [(versions: [String], build: String)] = []
    // A version, or a build, may itself contain what separates them in a title. Longer titles cannot be stored.
    let isTitle = name.hasSuffix(")") && name.utf8.count <= 2 * SanitizedText.longestName + 3
    for open in isTitle ? name.ranges(of: " (") : [] {
      let version = String(name[..<open.lowerBound])
      let build = String(name[open.upperBound...].dropLast())
      guard !version.isEmpty, !build.isEmpty else { continue }
      builds.append((version == UnknownName.title ? ["", version] : [version], build))
    }
    let whole = UnknownName.stored(name)
    let all = Set([whole] + builds.flatMap(\.versions)).sorted()
    // The first condition is cheap and leaves few rows.
    let isNear = "version IN \(ClickHouseQuoting.list(all))"
    let exact =
      ["version = \(ClickHouseQuoting.literal(whole))"]
      + builds.map { versions, build in
        "(version IN \(ClickHouseQuoting.list(versions)) AND build = \(ClickHouseQuoting.literal(build)))"
      }
    return builds.isEmpty ? exact : [isNear, "(\(exact.joined(separator: " OR ")))"]
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
