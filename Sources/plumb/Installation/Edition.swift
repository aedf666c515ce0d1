import SQLiteStore
import Storage

/// What all data behind the pages is like: equal numbers mean that nothing was applied, no app, incident or silence changed
/// and no budget file was touched.
enum Edition {
  static let start: UInt64 = 0xcbf2_9ce4_8422_2325

  static func now(_ installation: Installation, _ store: SQLiteStore, _ book: BudgetBook) throws -> UInt64 {
    var edition = book.edition()
    let control = try installation.control.changes()
    for number in [try store.progress(), control.own, control.others] {
      mix(UInt64(bitPattern: number), into: &edition)
    }
    return edition
  }

  /// FNV-1a, 64 bits at a time.
  static func mix(_ number: UInt64, into edition: inout UInt64) { edition = (edition ^ number) &* 0x100_0000_01b3 }
}
