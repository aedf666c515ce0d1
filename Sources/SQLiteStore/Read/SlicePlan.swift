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
    kind = query.sliceKind
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
      let wanted = SystemCondition(os)
      condition += " AND slice.os IN (SELECT id FROM os WHERE app = ? AND \(wanted.text))"
      arguments += [app] + StatementArguments(wanted.arguments)
    }
    if let device = slice.device {
      condition += " AND slice.device IN (SELECT id FROM device WHERE app = ? AND model = ?)"
      arguments += [app, UnknownName.stored(device)]
    }
    if let name = slice.deviceClass {
      condition += " AND slice.class = ?"
      arguments += [UnknownName.stored(name)]
    }
    if let wanted = slice.attribute {
      let own = AttributeCondition(wanted, app: app)
      condition += " AND \(own.text)"
      arguments += own.arguments
    }
    if dimension == .attribute {
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
    case .attribute: kind == .cell ? SliceAttributes.values : SliceAttributes.join
    case .combination:
      """
      LEFT JOIN os ON os.id = slice.os LEFT JOIN device ON device.id = slice.device
      LEFT JOIN release ON release.id = slice.release \(SliceAttributes.join)
      """
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
    case .combination:
      "os.name, device.model, release.version, release.build, \(SliceAttributes.names), \(SliceAttributes.texts)"
    }
  }

  private func name(of row: Row) throws -> String {
    func text(_ column: Int) throws -> String { try row.value(column, as: String?.self) ?? "" }
    return switch dimension {
    case nil: ""
    case .release: Release(version: try text(1), build: try text(2)).title
    case .os, .device: UnknownName.title(of: try text(1))
    case .deviceClass, .attribute: try text(1)
    case .combination:
      CombinedMember(
        os: UnknownName.title(of: try text(1)), device: UnknownName.title(of: try text(2)),
        release: Release(version: try text(3), build: try text(4)),
        attributes: AttributeTexts(names: try text(5), values: try text(6)).attributes
      ).text
    }
  }
}
