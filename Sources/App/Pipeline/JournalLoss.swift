import Foundation
import Logging
import SQLiteStore

/// A journal that was lost, or is older than the numbers: they stay right, but the keys by which repeated payloads are
/// recognized are gone with it.
enum JournalLoss {
  /// What follows from it, as the end of a sentence.
  static let meaning = "what was sent in the last seven days counts twice if it is sent again"

  /// A sentence about a journal that does not fit the numbers; nil if it does. Call it before the journal is opened,
  /// which makes a missing one.
  static func find(in folder: DataFolder) throws -> String? {
    let files = FileManager.default
    guard files.fileExists(atPath: folder.plumb) else { return nil }
    guard files.fileExists(atPath: folder.journal) else {
      guard try SQLiteStore.largestApp(in: folder.plumb) > 0 else { return nil }
      return "journal.db is missing beside plumb.db: what was not counted yet is lost, and \(meaning)"
    }
    let coverage = try JournalCoverage.read(journal: folder.journal, store: folder.plumb)
    if coverage.isJournalOlder {
      return "journal.db ends with record \(coverage.last) and is older than plumb.db, which has counted through "
        + "\(coverage.applied): \(meaning)"
    }
    if coverage.applied == 0, coverage.last > 0, !coverage.otherNodes.isEmpty {
      return "journal.db is of another folder than plumb.db: its \(coverage.last) records are counted in addition"
    }
    return nil
  }
}
