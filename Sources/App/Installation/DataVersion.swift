import Foundation
import SQLiteStore

/// The version of all data behind the pages: while it is equal, no process has written to the databases and no budget
/// file has changed. Computed from the sizes and modification times of the files.
enum DataVersion {
  static let start: UInt64 = 0xcbf2_9ce4_8422_2325

  static func now(_ folder: DataFolder, _ budgets: BudgetRepository) -> UInt64 {
    let databases = ["plumb.db", "plumb.db-wal", "control.db", "control.db-wal"]
    var version = budgets.version()
    for name in databases { mix(file: folder.url.appendingPathComponent(name).path, into: &version) }
    return version
  }

  /// Mixes the modification time and size of a file into the version. A missing file counts as size -1.
  static func mix(file path: String, into version: inout UInt64) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let modified = attributes?[.modificationDate] as? Date
    mix(modified?.timeIntervalSince1970.bitPattern ?? 0, into: &version)
    mix(UInt64((attributes?[.size] as? Int ?? -1) + 1), into: &version)
  }

  /// One step of FNV-1a, over 64 bits at a time.
  static func mix(_ number: UInt64, into version: inout UInt64) { version = (version ^ number) &* 0x100_0000_01b3 }
}
