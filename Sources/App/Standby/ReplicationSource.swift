import Core
import Foundation
import Logging
import SQLiteStore
import Storage
import Symbols
import Synchronization
import Web

/// The primary's service for its standbys. It only reads: the journal on a connection of its own, and copies of
/// databases. Nothing waits for a standby, and the journal is purged regardless of it.
final class ReplicationSource: ReplicationService {
  private let installation: Installation
  private let symbols: SymbolFolder
  private let watch: EpochWatch
  private let logger: Logger
  private let clock: @Sendable () -> Timestamp
  private let state = Mutex(State())

  private struct State {
    var excerpts: ReplicationReader?
    /// When each address was last stored as a peer.
    var stored: [String: Timestamp] = [:]
    var copy: Copy?
    var isCopying = false
    var failure: String?
  }

  /// A copy of the folder on disk.
  private struct Copy {
    var manifest: [UInt8]
    var paths: Set<String>
    var erasures: Int
    /// When it was last read.
    var used: Timestamp
  }

  let version = BuildVersion.replication
  /// The most bytes of records in an answer, unless one batch has more.
  private static let usual = 4 << 20
  /// The milliseconds without a request after which a copy is deleted.
  private static let longestRest: Int64 = 900_000
  /// The milliseconds between two notes of a standby's address on disk.
  private static let peerInterval: Int64 = 3_600_000

  init(
    _ installation: Installation, _ symbols: SymbolFolder, _ watch: EpochWatch, _ logger: Logger,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    (self.installation, self.symbols, self.watch, self.logger, self.clock) = (
      installation, symbols, watch, logger, clock
    )
    // The rest of a killed process.
    try? FileManager.default.removeItem(atPath: copyPath)
    try? FileManager.default.removeItem(atPath: copyPath + ".partial")
  }

  private var folder: DataFolder { installation.folder }
  private var copyPath: String { folder.copies + "/standby" }

  // MARK: Following

  func records(_ position: StandbyPosition) throws -> [UInt8] {
    try note(position.address)
    // Read first, so that a later change causes another question.
    let erasures = try installation.control.finishedErasures()
    let epoch = try watch.journal.epoch()
    var frame = StandbyFrame(
      epoch: epoch, peers: try watch.journal.peers(), erasures: erasures, controlTag: controlTag(),
      filesTag: filesTag(), reading: .purged)
    // After a deletion, the standby still has the deleted data, and this journal no longer has the bytes that it has.
    if erasures <= position.erasures {
      frame.reading = try excerpts().read(after: position.after, check: position.check, limit: Self.usual)
    }
    return frame.encoded()
  }

  /// Stores the address of a standby, so that a promotion can be learnt from it after a restart.
  private func note(_ address: String) throws {
    let now = clock()
    let isKnown = state.withLock { state in
      if let last = state.stored[address], abs(now.milliseconds - last.milliseconds) < Self.peerInterval { return true }
      if state.stored.count >= 100 { state.stored = [:] }
      state.stored[address] = now
      return false
    }
    guard !isKnown else { return }
    try watch.journal.note(peer: address, at: now)
    logger.notice("The standby \(address) follows this server.")
  }

  private func excerpts() throws -> ReplicationReader {
    if let open = state.withLock({ $0.excerpts }) { return open }
    let opened = try ReplicationReader(path: folder.journal)
    state.withLock { $0.excerpts = opened }
    return opened
  }

  /// Changes with every commit to `control.db`: the size and times of the database and its log.
  private func controlTag() -> String {
    var hash = StableHash()
    for path in [folder.control, folder.control + "-wal"] {
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      hash.add(UInt64(bitPattern: Int64(status.st_mtim.tv_sec)))
      hash.add(UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)))
      hash.add(UInt64(bitPattern: Int64(status.st_size)))
    }
    return String(hash.value, radix: 16)
  }

  private func filesTag() -> String {
    var hash = StableHash()
    hash.add(UInt64(symbols.changeNumber))
    for entry in budgets() {
      hash.add(entry.path)
      hash.add(UInt64(entry.modified))
      hash.add(UInt64(entry.size))
    }
    return String(hash.value, radix: 16)
  }

  func controlDatabase() throws -> [UInt8] {
    try FileManager.default.createDirectory(
      atPath: folder.copies, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = folder.copies + "/standby-control.db"
    try? FileManager.default.removeItem(atPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try DataFolderDatabase.copy(folder.control, to: path)
    guard try FileStatus(path).size <= StandbyClient.largestAnswer else {
      throw UserFacingError("control.db is larger than 256 MiB, which a standby cannot follow.")
    }
    let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped))
    return bytes.withUnsafeBytes { Compression.compress(zstd: $0) }
  }

  // MARK: Files

  func files() throws -> [UInt8] {
    var entries = budgets()
    for stored in symbols.all() {
      for end in [".json", ".macho"] {
        let path = "symbols/\(stored.uuid.prefix(2))/\(stored.uuid)\(end)"
        if let entry = entry(path) { entries.append(entry) }
      }
    }
    return [UInt8](
      try BackupManifest(
        made: "", node: nil, watermark: 0, lastRecord: 0, schemas: [:], files: entries, leftOut: []
      ).encoded())
  }

  private func budgets() -> [BackupManifest.Entry] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/budgets")) ?? []
    return names.sorted().filter { $0.hasSuffix(".yaml") }.compactMap { entry("budgets/" + $0) }
  }

  private func entry(_ path: String) -> BackupManifest.Entry? {
    guard BackupContents.isPath(path), let status = try? FileStatus(folder.url.path + "/" + path) else { return nil }
    return BackupManifest.Entry(path: path, size: status.size, sha256: "", modified: status.modified)
  }

  func file(_ path: String, from offset: Int, ofCopy: Bool) throws -> [UInt8]? {
    let isKnown = state.withLock { state in
      guard ofCopy else {
        return BackupContents.isPath(path) && BackupContents.folders.contains { path.hasPrefix($0 + "/") }
      }
      state.copy?.used = clock()
      return state.copy?.paths.contains(path) ?? false
    }
    guard isKnown else { return nil }
    let descriptor = open((ofCopy ? copyPath : folder.url.path) + "/" + path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.seek(toOffset: UInt64(offset))
    return [UInt8](try file.read(upToCount: StandbyClient.portion) ?? Data())
  }

  // MARK: The copy

  func copy() throws -> [UInt8]? {
    let now = clock()
    let erasures = try installation.control.finishedErasures()
    // Creates the index before the copy, so that the keys of all later records can be found.
    _ = try excerpts()
    let (ready, starts, failure) = state.withLock { state -> ([UInt8]?, Bool, String?) in
      if let failure = state.failure {
        state.failure = nil
        return (nil, false, failure)
      }
      if state.isCopying { return (nil, false, nil) }
      if let copy = state.copy, copy.erasures == erasures, now.milliseconds - copy.used.milliseconds < Self.longestRest
      {
        state.copy?.used = now
        return (copy.manifest, false, nil)
      }
      state.isCopying = true
      state.copy = nil
      return (nil, true, nil)
    }
    if let failure { throw UserFacingError(failure) }
    if starts { DispatchQueue(label: "plumb.standby-copy", qos: .utility).async { [self] in make(erasures) } }
    return ready
  }

  private func make(_ erasures: Int) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder.copies, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let manifest = try FolderBackup(folder: folder).run(to: copyPath, now: Date())
      let copy = Copy(
        manifest: [UInt8](try manifest.encoded()), paths: Set(manifest.files.map(\.path)), erasures: erasures,
        used: clock())
      state.withLock { ($0.copy, $0.isCopying) = (copy, false) }
    } catch {
      logger.error("The folder could not be copied for a standby: \(error)")
      state.withLock { ($0.failure, $0.isCopying) = ("\(error)", false) }
    }
  }

  /// Deletes a copy that no standby has read for a quarter of an hour.
  func deleteUnusedCopy() throws {
    let now = clock()
    let isUnused = state.withLock { state in
      guard let copy = state.copy, now.milliseconds - copy.used.milliseconds >= Self.longestRest else { return false }
      state.copy = nil
      return true
    }
    if isUnused { try FileManager.default.removeItem(atPath: copyPath) }
  }

  // MARK: Epochs

  func exchange(_ body: [UInt8]) throws -> [UInt8]? {
    guard let claim = EpochClaim(body, watch.secret) else { return nil }
    try watch.learn(claim)
    return try watch.claim().encoded(watch.secret)
  }
}
