import Access
import Digest
import Foundation
import Intake
import Logging
import SQLiteStore
import Storage
import Synchronization
import Telemetry

/// The road from bytes to rows, joined: intake, journal, digest, store.
final class Pipeline: Sendable {
  let store: SQLiteStore
  let journal: SQLiteJournal
  let intake: Intake
  private let writer: JournalWriter
  private let digest: DigestLoop?
  private let lock: FolderLock?

  /// `digestPatience`: how many seconds to wait for another process to let go of the digest. When it does not, records
  /// are left in the journal for that process.
  init(_ installation: Installation, migrating: Bool, digestPatience: Double, logger: Logger) throws {
    let folder = installation.folder
    let store = try installation.store(migrating: migrating)
    let journal = try SQLiteJournal(path: folder.journal) { try store.watermark(of: $0) }
    let lock = try Self.lock(folder.digestLock, patience: digestPatience)
    let digest =
      lock == nil
      ? nil : DigestLoop(journal: journal, store: store) { logger.error("The digest failed and tries again: \($0)") }
    let tallies = TallyBook(clock: Clock.now)
    let writer = JournalWriter(journal: journal, counts: tallies.drain) { digest?.offer($0) }
    let hash = IdentityHash(secret: try SecretFile.readOrCreate(in: folder.url.path))
    let zones = AppZones(installation.control)
    intake = Intake(
      identity: .init(hash: { hash.hash($0, scope: $1) }, utcOffsetSeconds: zones.utcOffsetSeconds), writer: writer,
      tallies: tallies)
    (self.store, self.journal, self.writer, self.digest, self.lock) = (store, journal, writer, digest, lock)
    try digest?.start()
    writer.start()
  }

  /// Whether this process digests.
  var isDigesting: Bool { digest != nil }

  /// Records that are durable and not applied yet; nil when it cannot be told.
  func lag() -> Int64? {
    guard let last = try? journal.lastSequence(), let applied = try? store.watermark(of: journal.node) else { return nil }
    return max(0, last - applied)
  }

  /// Writes what waits.
  func drainWriter() { writer.stop() }

  /// Writes what waits, digests all of it and flushes.
  func stop() {
    drainWriter()
    digest?.stop()
  }

  /// Digests all of it after the writer was drained.
  func stopDigest() { digest?.stop() }

  /// Drops what is past its time: old fine rows, records behind the watermark that are three days old or beyond 1 GiB.
  func maintain(now: Timestamp) throws {
    try store.compact(now: now)
    let applied = try store.watermark(of: journal.node)
    try journal.purge(
      through: applied, olderThan: Timestamp(milliseconds: now.milliseconds - 3 * 86_400_000),
      keepingAtMost: 1 << 30)
  }

  private static func lock(_ path: String, patience: Double) throws -> FolderLock? {
    let deadline = Date().addingTimeInterval(patience)
    while true {
      if let lock = try FolderLock(path: path) { return lock }
      if Date() >= deadline { return nil }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }
}

/// The zones of all apps, read again every five seconds.
final class AppZones: Sendable {
  private let control: any ControlStore
  private let state = Mutex(State())

  private struct State {
    /// Apps in UTC have none.
    var zones: [AppID: ControlTimeZone] = [:]
    var read: Int64 = 0
  }

  init(_ control: any ControlStore) { self.control = control }

  func utcOffsetSeconds(of app: AppID, at instant: Timestamp) -> Int {
    let now = Clock.now().milliseconds
    let zone = state.withLock { state in
      if now - 5000 > state.read {
        state.read = now
        for app in (try? control.apps()) ?? [] {
          state.zones[app.id] = app.settings.timeZone == "UTC" ? nil : ControlTimeZone(name: app.settings.timeZone)
        }
      }
      return state.zones[app]
    }
    return zone?.utcOffsetSeconds(at: instant) ?? 0
  }
}
