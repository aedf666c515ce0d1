import Foundation
import SQLiteStore

/// A journal that was lost, or is older than the numbers. The numbers stay correct, but the keys that identify repeated
/// payloads are lost with the journal.
enum JournalLoss {
  /// The consequence, as the end of a sentence.
  static let meaning = "payloads of the last seven days count twice if they are sent again"

  /// A sentence about a journal that does not match the numbers; nil if it does. Call this before the journal is
  /// opened, which creates a missing one.
  static func find(in folder: DataFolder) throws -> String? {
    let files = FileManager.default
    guard files.fileExists(atPath: folder.plumb) else { return nil }
    // If plumb.db is empty, `ofNumbers` describes the loss.
    guard files.fileExists(atPath: folder.journal) else {
      guard try SQLiteStore.largestApp(in: folder.plumb) > 0 else { return nil }
      return "journal.db is missing: records that were not digested are lost, and \(meaning)"
    }
    let coverage = try JournalConsistency.read(journal: folder.journal, store: folder.plumb)
    if coverage.isJournalOlder {
      return "journal.db ends with record \(coverage.last) and is older than plumb.db, which was digested through "
        + "record \(coverage.applied): \(meaning)"
    }
    if coverage.applied == 0, coverage.last > 0, !coverage.otherNodes.isEmpty {
      return "journal.db belongs to another folder than plumb.db: its \(coverage.last) records are added to the numbers"
    }
    return nil
  }

  /// A sentence about records that were digested into a lost or newer plumb.db and are no longer in the journal; nil if
  /// there are none. Call this before the store is opened, which creates a missing one.
  static func ofNumbers(in folder: DataFolder) throws -> String? {
    guard FileManager.default.fileExists(atPath: folder.journal) else { return nil }
    let coverage = try JournalConsistency.read(journal: folder.journal, store: folder.plumb)
    guard let first = coverage.missing.first?.lowerBound, let last = coverage.missing.last?.upperBound else {
      return nil
    }
    let cause =
      FileManager.default.fileExists(atPath: folder.plumb)
      ? "plumb.db was digested through record \(coverage.applied)" : "plumb.db is missing"
    return
      "\(cause), and \(coverage.missingCount) records between \(first) and \(last) are no longer in journal.db. Their "
      + "numbers are lost, unless you stop the server and run `plumb redigest --from BACKUP` with a backup that has "
      + "them"
  }
}
