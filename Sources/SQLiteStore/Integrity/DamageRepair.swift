import Core
import Foundation
import GRDB
import Ingest
import Storage

/// The repair of damaged rows to which other rows refer: names, slices, stacks and groups. A damaged column is restored
/// from other rows if possible; otherwise it becomes "(other)".
struct DamageRepair {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// Repairs the row with this id. Returns false if too little of it is known: it must then be deleted.
  func mend(_ table: String, _ id: Int64, using registry: inout NameRegistry) throws -> Bool {
    switch table {
    case "slice": try mendSlice(id, &registry)
    case "signature": try mendSignature(id)
    case "diagnostic_group": try mendGroup(id)
    default: try NameKind(rawValue: table).map { try mendName($0, id, &registry) } ?? false
    }
  }

  // MARK: Names

  /// Repairs a name. An unreadable name becomes "(other)", like a retired name. Other names lose only their damaged
  /// columns.
  private func mendName(_ kind: NameKind, _ id: Int64, _ registry: inout NameRegistry) throws -> Bool {
    let (table, text) = (kind.rawValue, NameTable.text(kind))
    guard let app = try app(of: kind, id) else { return false }
    let isNamed = "typeof(\(text)) = 'text'" + (kind == .release ? " AND typeof(build) = 'text'" : "")
    let wasNamed = try isTrue(isNamed, table, id)
    var columns = [
      "app = :app", "uses = CASE WHEN typeof(uses) IN ('real', 'integer') THEN uses ELSE 0 END",
      integer("used_day", else: ":today"),
      "retired = CASE WHEN NOT (\(isNamed)) THEN max(1, :today) WHEN typeof(retired) = 'integer' THEN retired ELSE 0 END",
      "\(text) = CASE WHEN \(isNamed) THEN \(text) ELSE '\(NameRegistry.other)' END",
    ]
    var metric: Int64 = 0
    switch kind {
    case .release: columns.append("build = CASE WHEN \(isNamed) THEN build ELSE '' END")
    case .environment:
      let newest = "(SELECT max(last_day) FROM release_life WHERE environment = :id AND typeof(last_day) = 'integer')"
      columns.append(integer("newest_day", else: "coalesce(\(newest), \(ReleaseLifetimes.never))"))
    case .device:
      columns.append("class = '\(try deviceClass(of: id).replacing("'", with: "''"))'")
    case .metric: columns += [integer("unit", else: "0"), integer("kind", else: "0")]
    case .label:
      guard let known = try number("metric", "label", id) ?? RowTables(database).metric(ofLabel: id) else {
        return false
      }
      metric = known
      columns.append(integer("metric", else: "\(known)"))
    case .attribute: columns.append("name = CASE WHEN typeof(name) = 'text' THEN name ELSE '' END")
    case .system, .client: break
    }
    try database.execute(
      sql: "UPDATE \(table) SET \(columns.joined(separator: ", ")) WHERE id = :id",
      arguments: StatementArguments(["app": app, "today": registry.today, "id": id]))
    if !wasNamed, kind == .release || kind == .environment {
      let other = NameKey(scope: NameScope(kind: kind, app: app, metric: metric), text: "")
      try RetiredNameMove(database).move(id, kind, to: registry.otherID(other, in: database))
    }
    return true
  }

  private func app(of kind: NameKind, _ id: Int64) throws -> AppID? {
    if let known = try number("app", kind.rawValue, id) { return AppID(exactly: known) }
    switch kind {
    case .environment, .release, .system, .device, .attribute:
      return try AppID.fetchOne(
        database, sql: "SELECT app FROM slice WHERE \(kind.rawValue) = ? AND typeof(app) = 'integer' LIMIT 1",
        arguments: [id])
    case .metric, .label:
      return try RowTables(database).app(withRowsOf: kind, id)
    case .client: return nil
    }
  }

  // MARK: Slices

  /// Rewrites a slice with its known columns. If an equal slice already exists, the rows move to it.
  private func mendSlice(_ id: Int64, _ registry: inout NameRegistry) throws -> Bool {
    guard let app = try appOfSlice(id) else {
      try RowTables(database).deleteAll(of: id)
      return false
    }
    let (environment, release) = (try name(.environment, of: id), try name(.release, of: id))
    let (system, device) = (try name(.system, of: id), try name(.device, of: id))
    let attribute = try name(.attribute, of: id)
    let title = try String.fetchOne(
      database, sql: "SELECT class FROM slice WHERE id = ? AND typeof(class) = 'text'", arguments: [id])
    // A damaged column had a value.
    let has = (
      release: release != 0, system: system != 0, device: device != 0, title: title != "", attribute: attribute != 0
    )
    let stored = try number("kind", "slice", id).flatMap { SliceKind(number: Int(clamping: $0)) }
    let kind = stored ?? Self.kind(has)
    func known(_ name: Int64?, _ kind: NameKind) throws -> Int64 {
      if let name, name != 0 { return name }
      return try registry.otherID(NameKey(scope: NameScope(kind: kind, app: app), text: ""), in: database)
    }
    var whole = SliceKey(app: app, environment: 0, kind: .cell)
    whole.environment = try environment ?? onlyEnvironment(of: app) ?? known(nil, .environment)
    if kind.has(.release) { whole.release = try known(release, .release) }
    if kind.has(.os) { whole.system = try known(system, .system) }
    if kind.has(.device) { whole.device = try known(device, .device) }
    if kind.has(.attribute), kind != .cell || attribute != 0 { whole.attribute = try known(attribute, .attribute) }
    whole.deviceClass = try title ?? deviceClass(of: whole.device)
    try write(kind == .cell ? whole : whole.rollup(kind), to: id)
    return true
  }

  /// The kind of a slice by its columns.
  private static func kind(
    _ has: (release: Bool, system: Bool, device: Bool, title: Bool, attribute: Bool)
  ) -> SliceKind {
    if has.release, has.system, has.device { return .cell }
    if has.attribute { return has.release ? .releaseAndAttribute : has.title ? .attributeAndClass : .attribute }
    if has.release { return has.title ? .releaseAndClass : .release }
    if has.system { return .system }
    return has.device ? .device : has.title ? .deviceClass : .all
  }

  private func write(_ key: SliceKey, to id: Int64) throws {
    let values: StatementArguments = [
      key.app, key.environment, key.kind.number, key.release, key.system, key.device, key.deviceClass, key.attribute,
    ]
    let twin = try Int64.fetchOne(
      database,
      sql: """
        SELECT id FROM slice WHERE app = ? AND environment = ? AND kind = ? AND release = ? AND os = ? AND device = ?
        AND class = ? AND attribute = ? AND id <> ?
        """, arguments: values + [id])
    guard let twin else {
      return try database.execute(
        sql: """
          UPDATE slice SET app = ?, environment = ?, kind = ?, release = ?, os = ?, device = ?, class = ?, attribute = ?
          WHERE id = ?
          """, arguments: values + [id])
    }
    guard key.kind == .cell else { return try RowTables(database).moveRollup(id, to: twin) }
    while try RowTables(database).moveCell(id, to: twin, atMost: 100_000) > 0 {}
    for table in ["session", "diagnostic"] {
      try database.execute(sql: "UPDATE \(table) SET cell = ? WHERE cell = ?", arguments: [twin, id])
    }
    try database.execute(sql: "DELETE FROM slice WHERE id = ?", arguments: [id])
  }

  private func appOfSlice(_ id: Int64) throws -> AppID? {
    if let known = try number("app", "slice", id) { return AppID(exactly: known) }
    for kind in [NameKind.environment, .release, .system, .device, .attribute] {
      guard let name = try name(kind, of: id), name != 0 else { continue }
      if let app = try number("app", kind.rawValue, name) { return AppID(exactly: app) }
    }
    return nil
  }

  /// The id of a slice's name: 0 if the slice has no such name, nil if the id cannot be read or is not stored.
  private func name(_ kind: NameKind, of slice: Int64) throws -> Int64? {
    guard let id = try number(kind.rawValue, "slice", slice) else { return nil }
    if id == 0, kind != .environment { return 0 }
    return try Int64.fetchOne(database, sql: "SELECT id FROM \(kind.rawValue) WHERE id = ?", arguments: [id])
  }

  /// The app's environment if it is the only one.
  private func onlyEnvironment(of app: AppID) throws -> Int64? {
    let all = try Int64.fetchAll(
      database, sql: "SELECT id FROM environment WHERE app = ? AND retired = 0 LIMIT 2", arguments: [app])
    return all.count == 1 ? all[0] : nil
  }

  private func deviceClass(of device: Int64) throws -> String {
    let model = try String.fetchOne(
      database, sql: "SELECT model FROM device WHERE id = ? AND typeof(model) = 'text'", arguments: [device])
    return DeviceClass.of(model: model ?? NameRegistry.other).name
  }

  // MARK: Columns

  func integer(_ column: String, else value: String) -> String {
    "\(column) = CASE typeof(\(column)) WHEN 'integer' THEN \(column) ELSE \(value) END"
  }

  /// The value of a column or expression if it is an integer.
  func number(_ column: String, _ table: String, _ id: Int64) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: "SELECT value FROM (SELECT \(column) AS value FROM \(table) WHERE id = :id) WHERE typeof(value) = 'integer'",
      arguments: ["id": id])
  }

  func isTrue(_ condition: String, _ table: String, _ id: Int64) throws -> Bool {
    try Bool.fetchOne(database, sql: "SELECT \(condition) FROM \(table) WHERE id = ?", arguments: [id]) ?? false
  }
}
