import Foundation
import SQLiteStore

/// The version of all data behind the pages: equal numbers mean that no process wrote to the databases and that no
/// budget file was touched. Computed from the files' sizes and modification times.
enum DataVersion {
  static let start: UInt64 = 0xcbf2_9ce4_8422_2325

  static func now(_ folder: DataFolder, _ budgets: BudgetRepository) -> UInt64 {
    let databases = ["plumb.db", "plumb.db-wal", "control.db", "control.db-wal"]
    var version = budgets.version()
    for name in databases { mix(file: folder.url.appendingPathComponent(name).path, into: &version) }
    return version
  }

  /// Mixes in the modification time and the size of a file; a missing file has values of its own.
  static func mix(file path: String, into version: inout UInt64) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let modified = attributes?[.modificationDate] as? Date
    mix(modified?.timeIntervalSince1970.bitPattern ?? 0, into: &version)
    mix(UInt64((attributes?[.size] as? Int ?? -1) + 1), into: &version)
  }

  /// FNV-1a, 64 bits at a time.
  static func mix(_ number: UInt64, into version: inout UInt64) { version = (version ^ number) &* 0x100_0000_01b3 }
}
