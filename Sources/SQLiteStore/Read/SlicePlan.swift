import GRDB
import Storage
import Telemetry

/// The kind of slice from which a query is read, and the slices of that kind.
struct SlicePlan {
  let kind: SliceKey.Kind
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
    kind = SliceKey.Kind(query.scope)
  }

  /// The table that stores rows of slices of this kind.
  var table: String { kind == .cell ? "cell" : "marginal" }

  func slices(app: AppID, environments: [Int64], in database: Database) throws -> [Member] {
    try environments.flatMap { try slices(app: app, environment: $0, in: database) }
  }

  private func slices(app: AppID, environment: Int64, in database: Database) throws -> [Member] {
    var condition = "slice.app = ? AND environment = ? AND kind = ?"
    var arguments: StatementArguments = [app, environment, kind.rawValue]
    if let release = slice.release {
      condition += " AND " + ReleaseFilter.condition
      arguments += StatementArguments(ReleaseFilter(release).arguments)
    }
    for (value, column) in [(slice.os, "os.name"), (slice.device, "device.model"), (slice.deviceClass, "slice.class")] {
      guard let value else { continue }
      condition += " AND \(column) = ?"
      arguments += [Unnamed.stored(value)]
    }
    if let wanted = slice.attribute {
      condition += " AND " + AttributeCondition.text(wanted)
      arguments += [wanted.name, wanted.value]
    } else if dimension == .attribute {
      condition += " AND attribute.name = ?"
      arguments += [attribute]
    }
    let statement = try database.cachedStatement(
      sql: """
        SELECT slice.id, release.version, release.build, os.name, device.model, slice.class, attribute.value FROM slice
        LEFT JOIN release ON release.id = slice.release LEFT JOIN os ON os.id = slice.os
        LEFT JOIN device ON device.id = slice.device LEFT JOIN attribute ON attribute.id = slice.attribute WHERE \(condition)
        """)
    return try Row.fetchAll(statement, arguments: arguments).map { Member(id: try $0.value(0), name: try name(of: $0)) }
  }

  private func name(of row: Row) throws -> String {
    func text(_ column: Int) throws -> String { try row.value(column, as: String?.self) ?? "" }
    return switch dimension {
    case nil: ""
    case .release: Release(version: try text(1), build: try text(2)).title
    case .os: Unnamed.title(of: try text(3))
    case .device: Unnamed.title(of: try text(4))
    case .deviceClass: try text(5)
    case .attribute: try text(6)
    }
  }
}

/// A filter for an app's attribute as a condition on the table `attribute`, whose parameters are name and value.
enum AttributeCondition {
  static func text(_ filter: AttributeFilter) -> String {
    "attribute.name = ? AND attribute.value \(filter.isExcluding ? "<>" : "=") ?"
  }
}

/// A filter for a release, equivalent to `Release.isCalled`, as a condition on the table `release`. It compares
/// composed titles, because versions and builds may contain any text.
struct ReleaseFilter {
  static let condition = """
    (release.version = ? OR release.build <> ''
      AND iif(release.version = '', '\(Unnamed.title)', release.version) || ' (' || release.build || ')' = ?)
    """

  /// The arguments for the parameters of `condition`.
  let arguments: [String]

  init(_ name: String) { arguments = [Unnamed.stored(name), name] }
}
