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
    // Beside an empty file, `ofNumbers` says what is lost.
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

  /// A sentence about records that were counted in a plumb.db that is gone, or newer than this one, and that the journal no
  /// longer has; nil without any. Call it before the store is opened, which makes a missing one.
  static func ofNumbers(in folder: DataFolder) throws -> String? {
    guard FileManager.default.fileExists(atPath: folder.journal) else { return nil }
    let coverage = try JournalCoverage.read(journal: folder.journal, store: folder.plumb)
    guard let first = coverage.missing.first?.lowerBound, let last = coverage.missing.last?.upperBound else {
      return nil
    }
    let cause =
      FileManager.default.fileExists(atPath: folder.plumb)
      ? "plumb.db has counted through record \(coverage.applied)" : "plumb.db is missing"
    return
      "\(cause), and \(coverage.missingCount) records, between \(first) and \(last), are no longer in journal.db: their "
      + "numbers are lost, unless you stop and run `plumb redigest --from BACKUP`, with a backup that has them"
  }
}
