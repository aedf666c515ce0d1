import Access
import Aggregation
import Compression
public import Foundation
public import Issues
import Health
public import Intake
public import Logging
import Record
import SQLiteStore
public import Storage
public import Telemetry

/// The path from payload bytes to stored rows: intake, journal, digest and store, connected.
///
///     let pipeline = try Pipeline(installation, migrating: false, logger: logger)
///     try pipeline.intake.receive(bytes, submission, decoder: decoder) { … }
///     pipeline.stop()
public final class Pipeline: Sendable {
  let store: SQLiteStore
  let samples: SQLiteDiagnosticBodies
  let journal: SQLiteJournal
  public let intake: Intake
  /// Hashes ids of users and sessions with the folder's secret.
  let identity: IdentityHash
  /// Finds function names in uploaded symbols.
  let symbols: any SymbolSource
  let readiness: Readiness
  private let control: any ControlStore
  private let writer: JournalWriter
  private let digest: DigestLease
  private let changes = AppChanges()
  private let clock: @Sendable () -> Timestamp

  /// Opens the databases and starts the journal's writer. Starts the digest, too, unless another process digests this
  /// folder.
  ///
  /// - Parameters:
  ///   - migrating: whether databases of an older version are upgraded.
  ///   - staying: whether to take over the digest when the other process ends.
  ///   - limits: how many bodies of diagnostics are stored.
  ///   - symbols: finds the function names of stack frames.
  ///   - executable: the `plumb` program, which is run as a child process to recover the digest.
  ///   - clock: the current time, by which days are counted and time zones are read.
  public init(
    _ installation: Installation, migrating: Bool, staying: Bool = false, limits: SampleLimits = .init(),
    symbols: any SymbolSource = NoSymbols(),
    executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(), logger: Logger,
    clock: @escaping @Sendable () -> Timestamp = WallClock.now
  ) throws {
    let folder = installation.folder
    let secret = try installation.secret()
    let samples = try installation.samples(limits: limits, logger)
    let store = try installation.store(samples: samples, migrating: migrating)
    // Before the journal is opened, which makes a missing one.
    if let loss = try JournalLoss.find(in: folder) {
      logger.warning("\(loss).")
      try store.note(loss, about: "journal.db")
    }
    let journal = try SQLiteJournal(path: folder.journal) { try store.position(of: $0).through }
    let readiness = Readiness(logger, clock: clock)
    readiness.note(appended: try journal.lastSequence(), applied: try store.watermark(of: journal.node))
    let report: @Sendable (any Error) -> Void = { readiness.failed(.digest, $0) }
    let marker = try DigestMarkerFile(path: folder.digestMarker)
    let recovery = DigestRecovery(folder, marker, executable: executable, logger)
    let changes = changes
    store.observe { changes.note($0) }
    let loop = DigestLoop(
      journal: journal, store: store, marker: marker,
      recovery: {
        // A child process applies records.
        defer { changes.noteAll() }
        return try recovery.run(to: $0)
      }, report: report)
    let digest = DigestLease(folder.digestLock, loop, report: report)
    let tallies = OutcomeCounter(clock: clock)
    let writer = JournalWriter(
      journal: journal, counts: tallies.drain, failed: { readiness.failed(.journal, $0) },
      committed: { batch in
        readiness.succeeded(.journal)
        readiness.note(appended: batch.through)
        digest.offer(batch)
      })
    store.observe { news in
      readiness.succeeded(.digest)
      readiness.note(applied: news.through)
    }
    let hash = IdentityHash(secret: secret)
    self.readiness = readiness
    identity = hash
    let appSettings = AppSettingsCache(installation.control, clock: clock) {
      logger.error("An app's settings cannot be read: \($0)")
    }
    let seal = Pseudonymizer(hash: { hash.hash($0, scope: $1) }, compress: { Compression.compress(zstd: $0) })
    intake = Intake(seal: seal, options: appSettings.options, writer: writer, tallies: tallies)
    self.symbols = symbols
    control = installation.control
    self.clock = clock
    (self.store, self.samples, self.journal, self.writer, self.digest) = (store, samples, journal, writer, digest)
    if try !digest.take(), staying { digest.takeWhenFree() }
    writer.start()
  }

  /// Whether this process, and not another, digests the folder.
  public var isDigesting: Bool { digest.isTaken }

  /// How often the numbers of apps have changed; nil while another process digests, whose changes are not known.
  func appChanges() -> AppChanges.State? { isDigesting ? changes.current : nil }

  /// The number of records that are on disk but not digested yet; nil if a database cannot be read.
  func lag() -> Int64? {
    guard let last = try? journal.lastSequence(), let applied = try? store.watermark(of: journal.node) else {
      return nil
    }
    return max(0, last - applied)
  }

  /// Commits the records that wait for the journal, and stops its writer.
  func drainWriter() { writer.stop() }

  /// Commits all records that wait, digests them, and stops.
  public func stop() {
    drainWriter()
    digest.release()
    // A failure costs only function names, which the next process adds.
    _ = try? regroup(retrying: false)
  }

  /// For each app, the binaries that its team has declared as its own although they are named like Apple's.
  func ownBinaries() throws -> [AppID: Set<String>] {
    try control.apps().reduce(into: [:]) { found, app in
      if !app.settings.ownBinaries.isEmpty { found[app.id] = Set(app.settings.ownBinaries) }
    }
  }

  /// Assigns diagnostics to groups again, with the symbols available now, and copies decisions to groups that others
  /// were merged into.
  ///
  /// `retrying`: includes frames whose lookup has failed before.
  @discardableResult func regroup(retrying: Bool = true) throws -> Regrouping {
    try store.regroup(
      symbols: symbols, ownBinaries: ownBinaries(), decisions: control, retrying: retrying, now: clock)
  }

  /// Digests for at most ten seconds. Call after `drainWriter`. Remaining records stay in the journal for the next
  /// start.
  func stopDigest() { digest.release(within: 10) }

  /// Applies retention: compacts old rows, deletes bodies of diagnostics beyond their limits, and purges digested
  /// records that are three days old or beyond 1 GiB.
  public func maintain(now: Timestamp) throws {
    defer { changes.noteAll() }
    try store.compact(now: now)
    try regroup(retrying: false)
    try store.boundSamples()
    let applied = try store.watermark(of: journal.node)
    try journal.purge(
      through: applied, olderThan: Timestamp(milliseconds: now.milliseconds - 3 * 86_400_000),
      keepingAtMost: 1 << 30)
  }
}
