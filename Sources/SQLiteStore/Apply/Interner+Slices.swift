import GRDB
import Storage
import Telemetry

extension Interner {
  /// The ids of a cell's key, made where they are new.
  mutating func sliceKey(of cell: CellKey, in database: Database) throws -> SliceKey {
    SliceKey(
      app: cell.app, environment: try environment(cell.environment, app: cell.app, in: database), kind: .cell,
      release: try release(cell.release, app: cell.app, in: database),
      system: try system(cell.os, app: cell.app, in: database),
      device: try device(cell.model, app: cell.app, in: database), deviceClass: DeviceClass.of(model: cell.model).name)
  }

  /// The key of a slice that was stored before.
  mutating func sliceKey(of id: Int64, in database: Database) throws -> SliceKey {
    if let known = keys[id] { return known }
    let statement = try database.cachedStatement(
      sql: "SELECT app, environment, kind, release, os, device, class FROM slice WHERE id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [id]), let kind = SliceKey.Kind(rawValue: row[2])
    else { throw StoreError.damaged("no slice \(id)") }
    let key = SliceKey(
      app: row[0], environment: row[1], kind: kind, release: row[3], system: row[4], device: row[5],
      deviceClass: row[6])
    keys[id] = key
    return key
  }
}
