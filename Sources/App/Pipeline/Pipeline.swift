import Analysis
import ClickHouseStore
public import Core
public import Foundation
public import Ingest
public import Logging
import SQLiteStore
public import Storage
import Synchronization
import Web

/// The path from payload bytes to stored rows: intake, journal, digest and store, connected.
///
///     let pipeline = try Pipeline(installation, migrating: false, logger: logger)
///     try pipeline.intake.receive(bytes, submission, decoder: decoder) { … }
///     pipeline.stop()
public final class Pipeline: Sendable {
  let folder: DataFolder
  let store: SQLiteStore
  let samples: SQLiteDiagnosticBodies
  let journal: SQLiteJournal
  public let intake: Intake
  /// Hashes ids of users and sessions with the folder's secret.
  let identity: IdentityHash
  /// Finds function names in uploaded symbols.
  let symbols: any SymbolSource
  let readiness: Readiness
  private let retention: Retention
  private let control: any ControlStore
  private let requests: any ErasureRequests
  /// Deletions whose rows are gone, and whose bytes may still be in the files.
  let erasedFiles: ErasedFiles
  private let writer: JournalWriter
  private let digest: DigestLease
  /// Keeps commands that need the folder for themselves away, until the pipeline is stopped.
  private let use = Mutex<FolderLock?>(nil)
  private let changes = AppChanges()
  private let journalGrowth = JournalGrowth()
  /// Sends changes to the servers with the rows; nil if the rows are in the folder.
  private let feed: FactFeed?
  /// The time, also while the wall clock is wrong.
  public let clock: PlausibleClock

  /// Opens the databases and starts the journal's writer. Starts the digest, too, unless another process digests this
  /// folder.
  ///
  /// - Parameters:
  ///   - migrating: whether databases of an older version are upgraded.
  ///   - staying: whether to take over the digest when the other process ends.
  ///   - limits: how many bodies of diagnostics are stored.
  ///   - retention: how long each kind of data is kept.
  ///   - symbols: finds the function names of stack frames.
  ///   - executable: the `plumb` program, which is run as a child process to recover the digest.
  ///   - wall: the wall clock, by which days are counted and time zones are read while it is plausible.
  ///   - elapsed: the milliseconds of a monotonic clock.
  ///   - journaled: called with the bytes of each app in every transaction of the journal, and the time.
  public init(
    _ installation: Installation, migrating: Bool, staying: Bool = false, limits: SampleLimits = .init(),
    retention: Retention = Retention(), symbols: any SymbolSource = NoSymbols(),
    executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(), logger: Logger,
    clock wall: @escaping @Sendable () -> Timestamp = WallClock.now,
    elapsed: @escaping @Sendable () -> Int64 = PlausibleClock.sinceBoot,
    journaled: @escaping @Sendable ([AppID: JournaledBytes], Timestamp) -> Void = { _, _ in }
  ) throws {
    let folder = installation.folder
    let use = try FolderLock.shared(of: folder)
    let secret = try installation.secret()
    let samples = try installation.samples(limits: limits, logger)
    // Before the store is opened, which makes a missing one.
    let loss = try JournalLoss.ofNumbers(in: folder)
    let store = try installation.store(samples: samples, migrating: migrating, retention: retention)
    if let loss { logger.warning("\(loss).") }
    // Before the journal is opened, which makes a missing one.
    if let loss = try JournalLoss.find(in: folder) {
      logger.warning("\(loss).")
      try store.note(loss, about: "journal.db")
    }
    let journal = try SQLiteJournal(path: folder.journal) { try store.position(of: $0).through }
    let plausible = PlausibleClock(newest: try store.newestReceipt(), wall: wall, elapsed: elapsed)
    let clock: @Sendable () -> Timestamp = { plausible.now() }
    let readiness = Readiness(logger, clock: clock)
    readiness.note(appended: try journal.lastSequence(), applied: try store.watermark(of: journal.node))
    let report: @Sendable (any Error) -> Void = { readiness.failed(.digest, $0) }
    let marker = try DigestMarkerFile(path: folder.digestMarker)
    let recovery = DigestRecovery(folder, marker, executable: executable, logger)
    let changes = changes
    store.observe { changes.note($0) }
    store.observeOthers { changes.noteAll() }
    if staying {
      let repairs = RepairQueue(logger) { changes.noteAll() }
      store.handOverRepairs { [weak store] in repairs.start(store) }
    }
    var pace = DigestLoop.Configuration()
    if store.isLedger, staying {
      // Many small blocks are slow for ClickHouse. Commands wait for theirs.
      pace.flushInterval = Self.ledgerInterval
    }
    let loop = DigestLoop(
      journal: journal, store: store, marker: marker,
      recovery: {
        // A child process applies records.
        defer { changes.noteAll() }
        return try recovery.run(to: $0)
      }, configuration: pace, report: report)
    let digest = DigestLease(folder.digestLock, loop, report: report)
    let tallies = OutcomeCounter(clock: clock)
    let writer = JournalWriter(
      journal: journal, counts: tallies.drain, failed: { readiness.failed(.journal, $0) },
      journaled: { [journalGrowth, clock] bytes in
        journalGrowth.add(bytes.values.reduce(0) { $0 + $1.stored })
        journaled(bytes, clock())
      },
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
    self.folder = folder
    self.use.withLock { $0 = use }
    self.retention = retention
    identity = hash
    let appSettings = AppSettingsCache(installation.control, clock: clock) {
      logger.error("An app's settings cannot be read: \($0)")
    }
    let seal = Pseudonymizer(hash: { hash.hash($0, scope: $1) }, compress: { Compression.compress(zstd: $0) })
    intake = Intake(seal: seal, context: appSettings.context, writer: writer, tallies: tallies)
    self.symbols = symbols
    control = installation.control
    requests = installation.control
    erasedFiles = ErasedFiles(
      folder, [(.journal, journal), (.samples, samples), (.plumb, store), (.control, installation.control)])
    self.clock = plausible
    (self.store, self.samples, self.journal, self.writer, self.digest) = (store, samples, journal, writer, digest)
    feed = try installation.rowCluster().map { cluster in
      // The process that digests sends: two at once would store blocks twice.
      FactFeed(
        store, try cluster.sender(for: store), clock: clock, isSending: { digest.isTaken },
        prepare: { try cluster.migrate() }, changed: { changes.noteAll() },
        report: { logger.warning("\($0)") })
    }
    if let feed {
      store.observe { _ in feed.poke() }
      feed.start()
    }
    if try !digest.take(), staying { digest.takeWhenFree() }
    writer.start()
  }

  /// The nanoseconds between two flushes of a ledger, while records arrive.
  private static let ledgerInterval: UInt64 = 10_000_000_000

  /// Registers an observer that is called when numbers of any app may have changed without a batch: the servers with the
  /// rows have stored some, or data were deleted.
  func observeChanges(_ observer: @escaping @Sendable () -> Void) { changes.observe(observer) }

  /// Sends all changes that wait to the servers with the rows. Throws if one takes none.
  func sendRows() throws { try feed?.sendAll() }

  /// The state of the servers with the rows; nil if the rows are in the folder.
  func rowServers() -> RowServerStatus? { feed?.status() }

  /// A sentence about each server that takes no rows.
  func rowServerWarnings() -> [String] { feed?.warnings() ?? [] }

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

  /// Waits until every record in the journal is digested. Throws if the digest stands still for a minute.
  /// Then its rows are on the servers that have them.
  func waitUntilDigested() throws {
    try waitUntilApplied(through: try journal.lastSequence())
    try sendRows()
  }

  /// Waits until the digest has applied every record up to `sequence`. Throws if it stands still for a minute.
  func waitUntilApplied(through sequence: Int64) throws {
    var (applied, since) = (try store.watermark(of: journal.node), ContinuousClock.now)
    while applied < sequence {
      usleep(50_000)
      let now = try store.watermark(of: journal.node)
      if now > applied { (applied, since) = (now, ContinuousClock.now) }
      guard since.duration(to: .now) < .seconds(60) else {
        throw UserFacingError("The digest stands still at record \(applied) of \(sequence).")
      }
    }
  }

  /// Notes that data were deleted: pages made before are outdated.
  func noteErasure() { changes.noteAll() }

  /// Appends records of ingest nodes to the journal, and passes them on to the digest. `take` writes one transaction.
  func takeRelayed(_ take: (SQLiteJournal) throws -> RelayOutcome) throws -> RelayOutcome {
    let outcome = try take(journal)
    if case .taken(_, let batch?, _, _) = outcome {
      readiness.succeeded(.journal)
      readiness.note(appended: batch.through)
      digest.offer(batch)
    }
    return outcome
  }

  /// Carries out requests to delete, while this process digests.
  var erasures: ErasureService { ErasureService(self, requests) }

  /// Commits the records that wait for the journal, and stops its writer.
  func drainWriter() { writer.stop() }

  /// Commits all records that wait, digests them, and stops.
  public func stop() {
    drainWriter()
    // The process that digested may have ended before these records came. One that cannot take over leaves them to the next.
    do { try takeDigest() } catch { readiness.failed(.digest, error) }
    digest.release { feed?.stop() }
    // A failure costs only function names, which the next process adds.
    _ = try? regroup(retrying: false)
    use.withLock { $0 = nil }
  }

  /// Starts to digest, unless another process does. Returns whether this one digests.
  @discardableResult func takeDigest() throws -> Bool { try digest.take() }

  /// Finds out whether another process has changed the store, so that nothing that was read before is taken for current.
  func noticeOthers() {
    // Where it cannot be found out, they may have.
    do { try store.noticeOthers() } catch { changes.noteAll() }
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
      symbols: symbols, ownBinaries: ownBinaries(), decisions: control, retrying: retrying, now: clock.now)
  }

  /// Digests for at most ten seconds. Call after `drainWriter`. Remaining records stay in the journal for the next
  /// start.
  func stopDigest() {
    digest.release(within: 10) { feed?.stop() }
    use.withLock { $0 = nil }
  }

  /// Applies retention: compacts old rows, deletes bodies of diagnostics beyond their limits, and purges digested
  /// records that are past their time or beyond 1 GiB. Then gives free pages back to the file system: all of them, or
  /// those of files that are mostly free. Files of older versions are first written anew if `room` has the bytes for it.
  /// Returns the bytes that were given back.
  @discardableResult
  public func maintain(now: Timestamp, releasesAll: Bool = false, convertingWithin room: Int = 0) throws -> Int {
    defer { changes.noteAll() }
    try store.compact(now: now)
    try regroup(retrying: false)
    try store.boundSamples()
    try store.dropSamples(receivedBefore: Self.time(retention.samples, before: now))
    let applied = try store.watermark(of: journal.node)
    try journal.purge(
      through: applied, olderThan: Self.time(retention.journal, before: now), keepingAtMost: Self.mostAppliedBytes)
    let stored = try store.releaseSpace(all: releasesAll, convertingWithin: room)
    let released = try stored + journal.releaseSpace(all: releasesAll, convertingWithin: room)
    // Last, because a server that is away must not keep the folder from what is due.
    try store.expireRows(now: now)
    return released
  }

  /// Looks whether the clock is right, and then corrects what was received while it was not. Returns why it is not.
  /// `confirmed`: whether the operator vouches for it.
  @discardableResult func reviewClock(confirmed: Bool = false) throws -> String? {
    if confirmed { clock.confirm() } else { clock.note(newest: try store.newestReceipt()) }
    if let doubt = clock.doubt { return doubt }
    let now = clock.now()
    try store.confirmClock(now)
    try journal.confirmClock(now)
    return nil
  }

  /// Purges digested records beyond 1 GiB once the journal has grown by 64 MiB: the next maintenance may be an hour away.
  /// `isFull`: the disk has no room for payloads, so that only 64 MiB are kept and free pages are given back.
  func purgeJournal(isFull: Bool, now: Timestamp) throws {
    guard isDigesting, journalGrowth.isDue(isFull: isFull) else { return }
    try journal.purge(
      through: try store.watermark(of: journal.node),
      // Nothing goes by its age while the clock is in doubt.
      olderThan: clock.doubt == nil ? Self.time(retention.journal, before: now) : Timestamp(milliseconds: 0),
      keepingAtMost: isFull ? JournalGrowth.step : Self.mostAppliedBytes)
    if isFull { _ = try journal.releaseSpace(all: true, convertingWithin: 0) }
  }

  /// The most bytes of records that are kept after they were digested or relayed.
  static let mostAppliedBytes = 1 << 30

  private static func time(_ days: Int, before now: Timestamp) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds - Int64(days) * 86_400_000)
  }
}

/// How much the journal has grown since it was purged.
private final class JournalGrowth: Sendable {
  /// The bytes after which it is purged.
  static let step = 64 << 20

  private let state = Mutex((bytes: 0, isFull: false))

  func add(_ bytes: Int) { state.withLock { $0.bytes = min(1 << 60, $0.bytes) + bytes } }

  /// Whether to purge: it has grown by a step, or the disk has become full.
  func isDue(isFull: Bool) -> Bool {
    state.withLock { state in
      let isDue = state.bytes >= Self.step || (isFull && !state.isFull)
      state.isFull = isFull
      if isDue { state.bytes = 0 }
      return isDue
    }
  }
}
