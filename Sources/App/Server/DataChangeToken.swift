import Core
import Foundation
import SQLiteStore
import Synchronization

/// The version of all data behind the pages, kept in memory. It differs after every change.
///
/// Changes by this process count at once. Changes of the databases and budget files by other processes are detected
/// within half a second, by the sizes and modification times of the files.
final class DataChangeToken: Sendable {
  private let count = Atomic<UInt64>(1)
  private let seen = Mutex<UInt64>(0)
  private let files: @Sendable () -> UInt64

  init(_ folder: DataFolder, _ budgets: BudgetRepository) {
    files = { Self.files(folder, budgets) }
    _ = look()
  }

  var current: UInt64 { count.load(ordering: .acquiring) }

  /// Notes a change by this process, and the resulting state of the files.
  func note() {
    seen.withLock { $0 = files() }
    count.add(1, ordering: .releasing)
  }

  /// Compares the files with their last state. Returns whether they have changed.
  func look() -> Bool {
    let isChanged = seen.withLock { seen in
      let now = files()
      defer { seen = now }
      return now != seen
    }
    if isChanged { count.add(1, ordering: .releasing) }
    return isChanged
  }

  private static func files(_ folder: DataFolder, _ budgets: BudgetRepository) -> UInt64 {
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
