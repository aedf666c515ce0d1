import Bytes
import Foundation
import SQLiteStore

/// The version of all data behind the pages: while it is equal, no process has written to the databases and no budget
/// file has changed. Computed from the sizes and modification times of the files.
enum DataVersion {
  static func now(_ folder: DataFolder, _ budgets: BudgetRepository) -> UInt64 {
    var hash = StableHash()
    budgets.addVersion(to: &hash)
    for name in ["plumb.db", "plumb.db-wal", "control.db", "control.db-wal"] {
      add(file: folder.url.appendingPathComponent(name).path, to: &hash)
    }
    return hash.value
  }

  /// Adds the modification time and size of a file to a hash. A missing file counts as size -1.
  static func add(file path: String, to hash: inout StableHash) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let modified = attributes?[.modificationDate] as? Date
    hash.add(modified?.timeIntervalSince1970.bitPattern ?? 0)
    hash.add(UInt64((attributes?[.size] as? Int ?? -1) + 1))
  }
}
