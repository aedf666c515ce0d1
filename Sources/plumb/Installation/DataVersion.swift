import Foundation
import SQLiteStore

/// What all data behind the pages is like: equal numbers mean that no process wrote to its databases, and no budget file was
/// touched.
enum DataVersion {
  static let start: UInt64 = 0xcbf2_9ce4_8422_2325

  static func now(_ folder: DataFolder, _ book: BudgetRepository) -> UInt64 {
    let databases = ["plumb.db", "plumb.db-wal", "control.db", "control.db-wal"]
    var edition = book.edition()
    for name in databases { mix(file: folder.url.appendingPathComponent(name).path, into: &edition) }
    return edition
  }

  /// When the file was written last, and how long it is; a file that is not there has numbers of its own.
  static func mix(file path: String, into edition: inout UInt64) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let modified = attributes?[.modificationDate] as? Date
    mix(modified?.timeIntervalSince1970.bitPattern ?? 0, into: &edition)
    mix(UInt64((attributes?[.size] as? Int ?? -1) + 1), into: &edition)
  }

  /// FNV-1a, 64 bits at a time.
  static func mix(_ number: UInt64, into edition: inout UInt64) { edition = (edition ^ number) &* 0x100_0000_01b3 }
}
