import Analysis
import Foundation
import SQLiteStore
import Storage
import Synchronization

/// A deletion whose rows are gone.
struct CarriedErasure: Sendable {
  let erasure: Erasure
  let findings: ErasureFindings
  /// The last record of the journal that it covers.
  let last: Int64
}

/// Why bytes of deleted rows are still in the files. The deletion goes on waiting.
struct ErasureUnfinished: Error, CustomStringConvertible {
  let reason: String

  /// How a line about it begins in a statement.
  static let mark = "Not finished:"

  var description: String {
    "What was to be deleted counts no more, but the files still have bytes of it: \(reason)"
  }
}

/// The databases of a folder, which are written anew after deletions.
///
/// One pass is for all deletions whose rows are gone. Passes, in which rows are deleted and files are written, take at most a
/// tenth of the time, however many are asked for: ingest waits while the journal is written, and the digest while `plumb.db` is.
final class ErasedFiles: Sendable {
  private struct State {
    var waiting: [Int64: CarriedErasure] = [:]
    /// The files that were written since the last deletion of rows, and whose logs are still read.
    var written: Set<DatabaseFile> = []
    /// When the pass began.
    var began = ContinuousClock.now
    /// Before this no pass begins.
    var rest: ContinuousClock.Instant?
  }

  /// After this a pass begins with no further deletion, and the longest pause between two passes.
  private static let (mostTime, longestRest): (Duration, Duration) = (.seconds(2), .seconds(600))

  private let state = Mutex(State())
  private let files: [(name: DatabaseFile, file: any RewritableFile)]
  private let folder: String

  init(_ folder: DataFolder, _ files: [(name: DatabaseFile, file: any RewritableFile)]) {
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

  /// Begins a pass; false while it has to wait for its turn.
  func beginPass() -> Bool {
    state.withLock { state in
      guard state.rest.map({ $0 <= .now }) ?? true else { return false }
      state.began = .now
      return true
    }
  }

  /// Whether the pass has time for a further deletion.
  var hasTime: Bool { state.withLock { $0.began.duration(to: .now) < Self.mostTime } }

  /// Writes the files anew if deletions wait for it. Returns those that are complete then. Throws `ErasureUnfinished` when bytes are left. Called by one thread at a time.
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
        reasons.append("\(name.rawValue) needs \(ByteSize.text(bytes)) of room to be written anew.")
      }
    }
    guard reasons.isEmpty else { throw ErasureUnfinished(reason: reasons.joined(separator: " ")) }
    return waiting
  }

  private static func isRead(_ name: DatabaseFile) -> String {
    "The log of \(name.rawValue) is still read, by a page or a backup that began before."
  }
}

extension Pipeline {
  /// Sentences about what deletions do not reach: older copies in the folder, and other places.
  func leftovers() throws -> [String] {
    var lines: [String] = []
    let older = try folder.olderFiles()
    if !older.isEmpty {
      let names = older.prefix(20).joined(separator: ", ") + (older.count > 20 ? " …" : "")
      lines.append("Older copies in the data folder, which may have it: \(names). Delete them by hand.")
    }
    let nodes = try journal.ingestNodes().map(\.name)
    if !nodes.isEmpty {
      lines.append(
        "Ingest nodes (\(nodes.joined(separator: ", "))) keep records that they relayed, for their keep-journal days.")
    }
    if rowServers() != nil {
      lines.append(
        "ClickHouse removes deleted rows from its disks when it merges; blocks sent to it stay in plumb.db for an hour."
      )
    }
    lines.append(
      "Backups, exports and messages sent before are not changed. control.db keeps this statement and the audit log."
        + " Data sent later is kept as usual.")
    return lines
  }
}

extension DataFolder {
  /// Copies of databases from before now: those in `copies`, and files that were moved aside.
  fileprivate func olderFiles() throws -> [String] {
    let files = FileManager.default
    let kept =
      files.fileExists(atPath: copies)
      ? try files.contentsOfDirectory(atPath: copies).map { "copies/" + $0 } : []
    let databases = DatabaseFile.allCases.map(\.rawValue)
    let own = Set(databases.flatMap { name in ["", "-wal", "-shm"].map { name + $0 } })
    let aside = try files.contentsOfDirectory(atPath: url.path).filter { name in
      !own.contains(name) && databases.contains(where: name.hasPrefix)
    }
    return (kept + aside).sorted()
  }
}
