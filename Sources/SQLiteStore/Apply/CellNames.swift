import GRDB
import Storage

/// What a cell is about, in words.
struct CellNames {
  private let database: Database

  init(_ database: Database) { self.database = database }

  /// Environment, version, build, system and model.
  func names(of cell: Int64) throws -> [String] {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT environment.name, release.version, release.build, os.name, device.model FROM slice
        JOIN environment ON environment.id = slice.environment JOIN release ON release.id = slice.release
        JOIN os ON os.id = slice.os JOIN device ON device.id = slice.device WHERE slice.id = ?
        """, arguments: [cell])
    guard let row else { throw StoreError.damaged("no slice \(cell)") }
    return (0..<5).map { row[$0] }
  }
}
