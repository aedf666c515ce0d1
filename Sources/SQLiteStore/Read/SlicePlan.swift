import Core
import GRDB
import Storage

/// The plan of a query: the kind of slice from which it is read, and the slices of that kind.
struct SlicePlan {
  let kind: SliceKind
  private let slice: Slice
  private let dimension: Dimension?
  /// The attribute whose values are the members of the dimension `attribute`.
  private let attribute: String

  /// One slice that the query reads, with its name in the query's dimension.
  struct Member {
    let id: Int64
    /// The member of the query's dimension; empty without one.
    let name: String
  }

  init(_ query: RowQuery) {
    slice = query.slice
    dimension = query.dimension
    attribute = query.attribute ?? query.slice.attribute?.name ?? ""
    kind = query.scope
  }

  func slices(app: AppID, environments: [Int64], in database: Database) throws -> [Member] {
    try environments.flatMap { try slices(app: app, environment: $0, in: database) }
  }

  private func slices(app: AppID, environment: Int64, in database: Database) throws -> [Member] {
    var condition = "slice.app = ? AND environment = ? AND kind = ?"
    var arguments: StatementArguments = [app, environment, kind.number]
    // Filters compare ids, which the index of `slice` has in this order, so that only the selected slices are read.
    if let release = slice.release {
      condition += " AND slice.release IN (SELECT id FROM release WHERE app = ? AND \(ReleaseFilter.condition))"
      arguments += [app] + StatementArguments(ReleaseFilter(release).arguments)
    }
    if let os = slice.os {
      condition += " AND slice.os IN (SELECT id FROM os WHERE app = ? AND name = ?)"
      arguments += [app, Unnamed.stored(os)]
    }
    if let device = slice.device {
      condition += " AND slice.device IN (SELECT id FROM device WHERE app = ? AND model = ?)"
      arguments += [app, Unnamed.stored(device)]
    }
    if let name = slice.deviceClass {
      condition += " AND slice.class = ?"
      arguments += [Unnamed.stored(name)]
    }
    if let wanted = slice.attribute {
      condition +=
        " AND slice.attribute IN (SELECT id FROM attribute WHERE app = ? AND \(AttributeCondition.text(wanted)))"
      arguments += [app, wanted.name, wanted.value]
    } else if dimension == .attribute {
      condition += " AND attribute.name = ?"
      arguments += [attribute]
    }
    // Only the table with the dimension's names is joined: each join costs time for every slice, of which there may be
    // many.
    let statement = try database.cachedStatement(
      sql: "SELECT slice.id, \(names) FROM slice \(join) WHERE \(condition)")
    var members: [Member] = []
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    while let row = try rows.next() { members.append(Member(id: try row.value(0), name: try name(of: row))) }
    return members
  }

  /// The join of the table with the names of the dimension's members.
  private var join: String {
    switch dimension {
    case .release: "LEFT JOIN release ON release.id = slice.release"
    case .os: "LEFT JOIN os ON os.id = slice.os"
    case .device: "LEFT JOIN device ON device.id = slice.device"
    case .attribute: "LEFT JOIN attribute ON attribute.id = slice.attribute"
    case nil, .deviceClass: ""
    }
  }

  /// The columns from which `name(of:)` builds a member's name.
  private var names: String {
    switch dimension {
    case nil: "''"
    case .release: "release.version, release.build"
    case .os: "os.name"
    case .device: "device.model"
    case .deviceClass: "slice.class"
    case .attribute: "attribute.value"
    }
  }

  private func name(of row: Row) throws -> String {
    func text(_ column: Int) throws -> String { try row.value(column, as: String?.self) ?? "" }
    return switch dimension {
    case nil: ""
    case .release: Release(version: try text(1), build: try text(2)).title
    case .os, .device: Unnamed.title(of: try text(1))
    case .deviceClass, .attribute: try text(1)
    }
  }
}

/// A filter by an app's attribute as a condition on the table `attribute`, whose parameters are name and value.
enum AttributeCondition {
  static func text(_ filter: AttributeFilter) -> String {
    "attribute.name = ? AND attribute.value \(filter.isExcluding ? "<>" : "=") ?"
  }
}

/// A filter by release, equivalent to `Release.isCalled`, as a condition on the table `release`. It compares composed
/// titles, because versions and builds may contain any text.
struct ReleaseFilter {
  static let condition = """
    (release.version = ? OR release.build <> ''
      AND iif(release.version = '', '\(Unnamed.title)', release.version) || ' (' || release.build || ')' = ?)
    """

  /// The arguments for the parameters of `condition`.
  let arguments: [String]

  init(_ name: String) { arguments = [Unnamed.stored(name), name] }
}

/// The metrics that are stored for one app, by id and by name.
struct StoredMetrics {
  private var custom: [Int64: MetricReference] = [:]

  init(_ database: Database, app: AppID) throws {
    let rows = try Row.fetchAll(
      database.cachedStatement(sql: "SELECT id, name, unit, kind FROM metric WHERE app = ?"), arguments: [app])
    for row in rows {
      let kind: Metric.Kind = try row.value(3, as: Int.self) == 0 ? .distribution : .counter
      custom[try row.value(0)] = .custom(
        name: try row.value(1), unit: MetricUnit(rawValue: try row.value(2)) ?? .count, kind: kind)
    }
  }

  func reference(of id: Int64) -> MetricReference? {
    if id < StoredMetric.firstCustom {
      return UInt16(exactly: id).flatMap(Catalogue.metric(number:)).map { .known($0.number) }
    }
    return custom[id]
  }

  /// The ids of metrics with these names. A custom name may have several ids, one per unit and kind.
  func ids(of names: [String]) -> [Int64] {
    names.flatMap { name in
      if let metric = Catalogue.metric(named: name) { return [Int64(metric.number)] }
      return custom.filter { $0.value.name == name }.map(\.key).sorted()
    }
  }
}

/// The SQL condition for the labels that a query selects.
struct LabelFilter {
  let condition: String
  let arguments: [Int64]
  let matchesNothing: Bool
  private let selection: Selection
  private let names: [Int64: String]

  /// The sum over all labels.
  static let total = LabelFilter(.sums, condition: "label = 0", names: [:])

  private enum Selection {
    case sums
    case all
    case named
  }

  private init(
    _ selection: Selection, condition: String, arguments: [Int64] = [], names: [Int64: String],
    matchesNothing: Bool = false
  ) {
    self.selection = selection
    self.condition = condition
    self.arguments = arguments
    self.names = names
    self.matchesNothing = matchesNothing
  }

  init(_ query: RowQuery, metric: Int64, in database: Database) throws {
    if let label = query.slice.label {
      // There are several ids for "(other)", the name of all retired labels.
      let ids = try Int64.fetchAll(
        database.cachedStatement(sql: "SELECT id FROM label WHERE app = ? AND metric = ? AND name = ?"),
        arguments: [query.app, metric, label])
      self.init(
        .named, condition: "label IN (\(ids.map { _ in "?" }.joined(separator: ", ")))", arguments: ids,
        names: Dictionary(ids.map { ($0, label) }, uniquingKeysWith: { first, _ in first }), matchesNothing: ids.isEmpty
      )
    } else if query.byLabel {
      let rows = try Row.fetchAll(
        database.cachedStatement(sql: "SELECT id, name FROM label WHERE app = ? AND metric = ?"),
        arguments: [query.app, metric])
      self.init(
        .all, condition: "label > 0",
        names: Dictionary(
          try rows.map { (try $0.value(0), try $0.value(1)) }, uniquingKeysWith: { first, _ in first }))
    } else {
      self = .total
    }
  }

  /// Whether the query selects a label; 0 stands for the sum over all. Equivalent to `condition`, for a series of a day
  /// pack.
  func matches(_ label: Int64) -> Bool {
    switch selection {
    case .sums: label == 0
    case .all: label > 0
    case .named: names[label] != nil
    }
  }

  func name(of id: Int64) -> String { names[id] ?? "" }
}
