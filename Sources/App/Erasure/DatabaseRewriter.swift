import Analysis
import Foundation
import SQLiteStore
import Storage
import Synchronization

/// A deletion whose rows are deleted.
struct CarriedErasure: Sendable {
  let erasure: Erasure
  let findings: ErasureFindings
  /// The last journal record that the deletion covers.
  let last: Int64
}

/// The error while bytes of deleted rows are still in the files. The deletion stays open.
struct ErasureUnfinished: Error, CustomStringConvertible {
  let reason: String

  /// The beginning of the statement's line about it.
  static let mark = "Not finished:"

  var description: String {
    "The data is no longer counted, but its bytes are still in the files: \(reason)"
  }
}

/// The databases of a folder, which are rewritten after deletions.
///
/// One pass serves all deletions whose rows are deleted. Passes delete rows and rewrite files, and take at most a tenth
/// of the time, however many deletions are requested: ingest waits while the journal is rewritten, and the digest waits
/// while `plumb.db` is rewritten.
final class DatabaseRewriter: Sendable {
  private struct State {
    var waiting: [Int64: CarriedErasure] = [:]
    /// The files that were rewritten after the last deletion of rows and whose logs are still being read.
    var written: Set<DataFolderDatabase> = []
    /// When the pass began.
    var began = ContinuousClock.now
    /// When the next pass may begin.
    var rest: ContinuousClock.Instant?
  }

  /// The time after which a pass starts no further deletion, and the longest pause between two passes.
  static let (mostTime, longestRest): (Duration, Duration) = (.seconds(2), .seconds(600))

  private let state = Mutex(State())
  private let files: [(name: DataFolderDatabase, file: any RewritableFile)]
  private let folder: String

  init(_ folder: DataFolder, _ files: [(name: DataFolderDatabase, file: any RewritableFile)]) {
    (self.folder, self.files) = (folder.url.path, files)
  }

  func add(_ carried: CarriedErasure) {
    state.withLock { state in
      state.waiting[carried.erasure.id] = carried
      state.written = []
    }
  }

  func isWaiting(_ id: Int64) -> Bool { state.withLock { $0.waiting[id] != nil } }
  func remove(_ id: Int64) { state.withLock { $0.waiting[id] = nil } }
  func waiting() -> [CarriedErasure] { state.withLock { $0.waiting.values.sorted { $0.erasure.id < $1.erasure.id } } }

  /// Begins a pass. False while the pause after the last pass lasts.
  func beginPass() -> Bool {
    state.withLock { state in
      guard state.rest.map({ $0 <= .now }) ?? true else { return false }
      state.began = .now
      return true
    }
  }

  /// Whether the pass has time for another deletion.
  var hasTime: Bool { state.withLock { $0.began.duration(to: .now) < Self.mostTime } }

  /// Rewrites the files if deletions wait for it, and returns the completed deletions. Throws `ErasureUnfinished` while
  /// bytes are left. Must be called by one thread at a time.
  func rewrite() throws -> [CarriedErasure] {
    let waiting = waiting()
    guard !waiting.isEmpty else { return [] }
    defer {
      state.withLock { $0.rest = .now + min($0.began.duration(to: .now) * 9, Self.longestRest) }
    }
    let written = state.withLock { $0.written }
    var reasons: [String] = []
    for (name, file) in files {
      if written.contains(name) {
        if try !file.emptyLog() { reasons.append(Self.isRead(name)) }
        continue
      }
      switch try file.rewrite(room: FreeSpace.of(folder).free) {
      case .done: state.withLock { _ = $0.written.insert(name) }
      case .isRead:
        state.withLock { _ = $0.written.insert(name) }
        reasons.append(Self.isRead(name))
      case .needs(let bytes):
        reasons.append("Rewriting \(name.rawValue) needs \(ByteSize.text(bytes)) of disk space.")
      }
    }
    guard reasons.isEmpty else { throw ErasureUnfinished(reason: reasons.joined(separator: " ")) }
    return waiting
  }

  private static func isRead(_ name: DataFolderDatabase) -> String {
    "A page or a backup that began earlier still reads the log of \(name.rawValue)."
  }
}

extension Pipeline {
  /// Sentences about data that deletions do not reach: older copies in the folder, and other places.
  func leftovers() throws -> [String] {
    var lines: [String] = []
    let older = try folder.olderFiles()
    if !older.isEmpty {
      let names = older.prefix(20).joined(separator: ", ") + (older.count > 20 ? " …" : "")
      lines.append("Older copies in the data folder may contain the data: \(names). Delete them manually.")
    }
    let nodes = try journal.ingestNodes().map(\.name)
    if !nodes.isEmpty {
      lines.append(
        "Ingest nodes (\(nodes.joined(separator: ", "))) keep relayed records for their keep-journal days.")
    }
    if rowServers() != nil {
      lines.append(
        "ClickHouse removes deleted rows from its disks when it merges. Blocks sent to it stay in plumb.db for an hour."
      )
    }
    lines.append(
      "Earlier backups, exports and messages are not changed. control.db keeps this statement and the audit log. "
        + "Data that arrives later is stored as usual.")
    return lines
  }
}

extension DataFolder {
  /// Earlier copies of databases: those in `copies`, and files that were moved away.
  fileprivate func olderFiles() throws -> [String] {
    let files = FileManager.default
    let kept =
      files.fileExists(atPath: copies)
      ? try files.contentsOfDirectory(atPath: copies).map { "copies/" + $0 } : []
    let databases = DataFolderDatabase.allCases.map(\.rawValue)
    let own = Set(databases.flatMap { name in ([""] + DataFolderDatabase.companions).map { name + $0 } })
    let aside = try files.contentsOfDirectory(atPath: url.path).filter { name in
      !own.contains(name) && databases.contains(where: name.hasPrefix)
    }
    return (kept + aside).sorted()
  }
}
