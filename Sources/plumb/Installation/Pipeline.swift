import Access
import Compression
import Aggregation
import Foundation
import Issues
import Health
import Intake
import Logging
import Record
import SQLiteStore
import Storage
import Synchronization
import Telemetry

/// The road from bytes to rows, joined: intake, journal, digest, store.
final class Pipeline: Sendable {
  let store: SQLiteStore
  let samples: SQLiteDiagnosticBodies
  let journal: SQLiteJournal
  let intake: Intake
  /// Hashes under the folder's secret.
  let identity: IdentityHash
  /// Names of code that somebody uploaded.
  let symbols: any SymbolSource
  private let control: any ControlStore
  private let writer: JournalWriter
  private let digest: DigestLease

  /// While another process digests this folder, records are left in the journal for it. `staying`: take over from it
  /// when it ends. `symbols` names the code of groups.
  init(
    _ installation: Installation, migrating: Bool, staying: Bool = false, limits: SampleLimits = .init(),
    symbols: any SymbolSource = NoSymbols(), logger: Logger
  ) throws {
    let folder = installation.folder
    let samples = try SQLiteDiagnosticBodies(path: folder.samples, limits: limits)
    let store = try installation.store(samples: samples, migrating: migrating)
    let journal = try SQLiteJournal(path: folder.journal) { try store.position(of: $0).through }
    let report: @Sendable (any Error) -> Void = { logger.error("The digest failed and tries again: \($0)") }
    let marker = try FileDigestMarker(path: folder.digestMarker)
    let recovery = DigestRecovery(folder, marker, logger)
    let loop = DigestLoop(
      journal: journal, store: store, marker: marker, recovery: { try recovery($0) }, report: report)
    let digest = DigestLease(folder.digestLock, loop, report: report)
    let tallies = OutcomeCounter(clock: Clock.now)
    let writer = JournalWriter(journal: journal, counts: tallies.drain) { digest.offer($0) }
    let hash = IdentityHash(secret: try SecretFile.readOrCreate(in: folder.url.path))
    identity = hash
    let facts = AppFactsCache(installation.control) { logger.error("An app's settings cannot be read: \($0)") }
    let seal = Pseudonymizer(hash: { hash.hash($0, scope: $1) }, compress: { Compression.compress(zstd: $0) })
    intake = Intake(seal: seal, facts: facts.facts, writer: writer, tallies: tallies)
    self.symbols = symbols
    control = installation.control
    (self.store, self.samples, self.journal, self.writer, self.digest) = (store, samples, journal, writer, digest)
    if try !digest.take(), staying { digest.takeWhenFree() }
    writer.start()
  }

  /// Whether this process digests.
  var isDigesting: Bool { digest.isTaken }

  /// Records that are durable and not applied yet; nil when it cannot be told.
  func lag() -> Int64? {
    guard let last = try? journal.lastSequence(), let applied = try? store.watermark(of: journal.node) else {
      return nil
    }
    return max(0, last - applied)
  }

  /// Writes what waits.
  func drainWriter() { writer.stop() }

  /// Writes what waits, digests all of it and flushes.
  func stop() {
    drainWriter()
    digest.leave()
    // Numbers do not wait for names: what fails here is done by the next process.
    _ = try? regroup(retrying: false)
  }

  /// What teams say of their apps' binaries.
  func ownBinaries() throws -> [AppID: Set<String>] {
    try control.apps().reduce(into: [:]) { found, app in
      if !app.settings.ownBinaries.isEmpty { found[app.id] = Set(app.settings.ownBinaries) }
    }
  }

  /// Brings groups, and the decisions about them, up to date with the symbols there are.
  ///
  /// `retrying`: with what could not be looked up before.
  @discardableResult func regroup(retrying: Bool = true) throws -> Regrouping {
    try store.regroup(
      symbols: symbols, ownBinaries: ownBinaries(), decisions: control, retrying: retrying, now: Clock.now)
  }

  /// Digests what it can in ten seconds after the writer was drained. The rest is on disk, and the next start goes on.
  func stopDigest() { digest.leave(within: 10) }

  /// Drops what is past its time: old fine rows, records behind the watermark that are three days old or beyond 1 GiB.
  func maintain(now: Timestamp) throws {
    try store.compact(now: now)
    try regroup(retrying: false)
    try store.boundSamples()
    let applied = try store.watermark(of: journal.node)
    try journal.purge(
      through: applied, olderThan: Timestamp(milliseconds: now.milliseconds - 3 * 86_400_000),
      keepingAtMost: 1 << 30)
  }
}
