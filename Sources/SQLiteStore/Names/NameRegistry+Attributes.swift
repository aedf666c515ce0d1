import Core
import GRDB
import Storage

/// The values of attributes in cells.
///
/// A cell refers to one row of the table `attribute`: to that of its value or, if it has values of several attributes,
/// to that of a set. The row of a set has an empty name, and its value is the ids of its members.
extension NameRegistry {
  /// The id of a cell's value or set of values, which is inserted if it is new; 0 without a value.
  mutating func attribute(of cell: CellKey, uses: Double, in database: Database) throws -> Int64 {
    // Fast path: most cells have no attribute.
    if cell.attributes.isEmpty { return 0 }
    let values = try cell.attributes.map { attribute in
      let scope = NameScope(kind: .attribute, app: cell.app, attribute: attribute.name)
      return try id(of: NameKey(scope: scope, text: attribute.value), uses: uses, in: database)
    }
    return try attributeSet(of: values, cell.app, in: database)
  }

  /// The values of an attribute id: the members of a set, or the id of a value itself. None for 0.
  mutating func attributeValues(of id: Int64, in database: Database) throws -> [Int64] {
    if id == 0 { return [] }
    if let known = attributeValues[id] { return known }
    let members = try Int64.fetchAll(
      database.cachedStatement(
        sql: "SELECT attribute FROM attribute_member WHERE attribute_set = ? ORDER BY attribute"), arguments: [id])
    let values = members.isEmpty ? [id] : members
    attributeValues[id] = values
    return values
  }

  /// The id of a set of values, which is inserted if it is new; for one value, its own id.
  ///
  /// An app has at most as many sets as cells. Beyond that, the values of new sets become "(other)".
  private mutating func attributeSet(of values: [Int64], _ app: AppID, in database: Database) throws -> Int64 {
    guard values.count > 1 else { return values.first ?? 0 }
    if let known = try storedSet(of: values, app, in: database) { return known }
    let scope = NameScope(kind: .attribute, app: app)
    let count = try counts[scope] ?? NameTable(.attribute, database).count(scope)
    counts[scope] = count
    guard count < limits.cells else {
      let others = try values.map { try otherValue($0, app, in: database) }
      return try storedSet(of: others, app, in: database) ?? insertSet(of: others, app, in: database)
    }
    counts[scope] = count + 1
    return try insertSet(of: values, app, in: database)
  }

  private static func key(of values: [Int64], _ app: AppID) -> NameKey {
    let ids = values.sorted().map(String.init).joined(separator: ",")
    return NameKey(scope: NameScope(kind: .attribute, app: app), text: ids)
  }

  private mutating func storedSet(of values: [Int64], _ app: AppID, in database: Database) throws -> Int64? {
    let key = Self.key(of: values, app)
    if let known = names[key] { return known }
    guard let found = try NameTable(.attribute, database).find(key) else { return nil }
    names[key] = found
    return found
  }

  private mutating func insertSet(of values: [Int64], _ app: AppID, in database: Database) throws -> Int64 {
    let key = Self.key(of: values, app)
    let id = try NameTable(.attribute, database).insert(key, NameScore(uses: 0, day: today))
    let member = try database.cachedStatement(
      sql: "INSERT OR IGNORE INTO attribute_member (attribute_set, attribute) VALUES (?, ?)")
    for value in values { try member.execute(arguments: [id, value]) }
    names[key] = id
    attributeValues[id] = values.sorted()
    return id
  }

  // MARK: Retired values

  /// The attribute id of a stored slice, with "(other)" in place of retired values.
  mutating func currentAttribute(_ stored: SliceKey, in database: Database) throws -> Int64 {
    let values = try attributeValues(of: stored.attribute, in: database)
    let current = try values.map { try currentValue($0, stored.app, in: database) }
    return current == values ? stored.attribute : try attributeSet(of: current, stored.app, in: database)
  }

  /// The id of a value, or of "(other)" for a retired one.
  mutating func currentValue(_ id: Int64, _ app: AppID, in database: Database) throws -> Int64 {
    try isRetired(id, .attribute, in: database) ? otherValue(id, app, in: database) : id
  }

  /// The attribute id of a cell whose values all become "(other)".
  mutating func otherAttribute(_ cell: SliceKey, in database: Database) throws -> Int64 {
    let values = try attributeValues(of: cell.attribute, in: database)
    return try attributeSet(of: values.map { try otherValue($0, cell.app, in: database) }, cell.app, in: database)
  }

  /// The id of "(other)" for the attribute of a value.
  private mutating func otherValue(_ id: Int64, _ app: AppID, in database: Database) throws -> Int64 {
    let name = try String.fetchOne(
      database.cachedStatement(sql: "SELECT name FROM attribute WHERE id = ?"), arguments: [id])
    return try otherID(
      NameKey(scope: NameScope(kind: .attribute, app: app, attribute: name ?? ""), text: ""), in: database)
  }
}
