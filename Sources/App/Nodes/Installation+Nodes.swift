import Foundation
import SQLiteStore
public import Storage

extension Installation {
  /// The ingest nodes, sorted by name.
  public func ingestNodes() throws -> [IngestNode] { try openedJournal()?.ingestNodes() ?? [] }

  /// Forgets the position of an ingest node. Throws `UserFacingError` for an unknown node.
  public func forgetNode(_ text: String) throws {
    guard let node = NodeID(checking: text), let journal = try openedJournal(), try journal.forget(node) else {
      throw UserFacingError("There is no node \(text). `plumb nodes list` lists the nodes.")
    }
    try control.record(AuditEvent("node.forget", subject: text))
  }

  /// The journal, which a running server may write to; nil if there is none.
  private func openedJournal() throws -> SQLiteJournal? {
    guard FileManager.default.fileExists(atPath: folder.journal) else { return nil }
    // Nothing is appended, so no sequence can be used twice.
    return try SQLiteJournal(path: folder.journal) { _ in 0 }
  }
}
