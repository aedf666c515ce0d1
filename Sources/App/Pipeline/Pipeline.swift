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

/// The path from payload bytes to stored rows: intake, journal, digest and store.
///
///     let pipeline = try Pipeline(installation, migrating: false, logger: logger)
///     try pipeline.intake.receive(bytes, submission, decoder: decoder) { … }
///     pipeline.stop()
public final class Pipeline: Sendable {
  let folder: DataFolder
  let store: SQLiteStore
  let samples: SQLiteSampleStore
  let journal: SQLiteJournal
  public let intake: Intake
  /// Hashes ids of users and sessions with the folder's secret.
  let identity: KeyedIDHash
  /// Finds function names in uploaded symbols.
  let symbols: any SymbolSource
  let readiness: Readiness
  private let retention: Retention
  private let control: any ControlStore
  private let requests: any ErasureRequests
  /// Deletions whose rows are deleted, but whose bytes may still be in the files.
  let erasedFiles: DatabaseRewriter
  private let writer: JournalWriter
  private let digest: DigestLease
  /// Locks out commands that need exclusive access to the folder, until the pipeline is stopped.
  private let use = Mutex<FolderLock?>(nil)
  private let changes = AppChangeCounter()
  private let journalGrowth = JournalPurgeTrigger()
  /// Sends changes to the ClickHouse servers; nil if the rows are in the folder.
  private let feed: FactFeed?
  /// A clock that stays plausible while the wall clock is wrong.
  public let clock: PlausibleClock

  /// Opens the databases and starts the journal's writer. Also starts the digest, unless another process digests this
  /// folder.
  ///
  /// - Parameters:
  ///   - migrating: whether databases of an older version are upgraded.
  ///   - staying: whether to take over the digest when another process ends.
  ///   - limits: how many diagnostic bodies are stored.
  ///   - retention: how long each kind of data is kept.
  ///   - symbols: finds the function names of stack frames.
  ///   - executable: the `plumb` program, which runs as a child process to recover the digest.
  ///   - wall: the wall clock, which decides days and time zones while it is plausible.
  ///   - elapsed: the milliseconds of a monotonic clock.
  ///   - primary: the primary of a standby, whose journal is only appended to by `follow`; nil for a primary.
  ///   - journaled: called after every journal transaction with the bytes of each app and the time.
  public init(
    _ installation: Installation, migrating: Bool, staying: Bool = false, limits: SampleLimits = .init(),
    retention: Retention = Retention(), symbols: any SymbolSource = NoSymbols(),
    executable: URL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath(), logger: Logger,
    clock wall: @escaping @Sendable () -> Timestamp = WallClock.now,
    elapsed: @escaping @Sendable () -> Int64 = PlausibleClock.sinceBoot, standbyOf primary: String? = nil,
    journaled: @escaping @Sendable ([AppID: JournaledBytes], Timestamp) -> Void = { _, _ in }
  ) throws {
    let folder = installation.folder
    let use = try FolderLock.shared(of: folder)
    if primary == nil { try StandbyMarker.refuse(folder) }
    let secret = try installation.secret()
    let samples = try installation.samples(limits: limits, logger)
    // This must run before the store is opened, which creates a missing one.
    let loss = try JournalLoss.ofNumbers(in: folder)
    let store = try installation.store(samples: samples, migrating: migrating, retention: retention)
    if let loss { logger.warning("\(loss).") }
    // This must run before the journal is opened, which creates a missing one.
    if let loss = try JournalLoss.find(in: folder) {
      logger.warning("\(loss).")
      try store.note(loss, about: "journal.db")
    }
    let journal = try SQLiteJournal(path: folder.journal) { try store.position(of: $0).through }
    if let primary { journal.becomeStandby(of: primary) }
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
      let repairs = BackgroundDamageRepair(logger) { changes.noteAll() }
      store.handOverRepairs { [weak store] in repairs.start(store) }
    }
    var pace = DigestLoop.Configuration()
    if store.isLedger, staying {
      // ClickHouse is slow with many small blocks. Commands flush at the default interval, because they wait.
      pace.flushInterval = Self.ledgerInterval
    }
    let loop = DigestLoop(
      journal: journal, store: store, marker: marker,
      recovery: {
        // The child process may have changed any app's numbers.
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
    let hash = KeyedIDHash(secret: secret)
    self.readiness = readiness
    self.folder = folder
    self.use.withLock { $0 = use }
    self.retention = retention
    identity = hash
    let appSettings = AppSettingsCache(installation.control, clock: clock) {
      logger.error("An app's settings cannot be read: \($0)")
    }
    let seal = Pseudonymizer(hash: { hash.hash($0, scope: $1) })
    intake = Intake(seal: seal, context: appSettings.context, writer: writer, tallies: tallies)
    self.symbols = symbols
    control = installation.control
    requests = installation.control
    erasedFiles = DatabaseRewriter(
      folder, [(.journal, journal), (.samples, samples), (.plumb, store), (.control, installation.control)])
    self.clock = plausible
    (self.store, self.samples, self.journal, self.writer, self.digest) = (store, samples, journal, writer, digest)
    feed = try installation.rowCluster().map { cluster in
      // Only the process that digests sends, because two senders would store blocks twice.
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

  /// The nanoseconds between two flushes of a ledger while records arrive.
  private static let ledgerInterval: UInt64 = 10_000_000_000

  /// Registers an observer that is called when numbers of any app may have changed without a batch: after ClickHouse
  /// servers have stored rows, or data was deleted.
  func observeChanges(_ observer: @escaping @Sendable () -> Void) { changes.observe(observer) }

  /// Sends all waiting changes to the ClickHouse servers. Throws if a server does not accept them.
  func sendRows() throws { try feed?.sendAll() }

  /// The state of the ClickHouse servers; nil if the rows are in the folder.
  func rowServers() -> ClickHouseServerStatus? { feed?.status() }

  /// A sentence for each ClickHouse server that does not accept rows.
  func rowServerWarnings() -> [String] { feed?.warnings() ?? [] }

  /// Whether this process digests the folder, and no other process.
  public var isDigesting: Bool { digest.isTaken }

  /// Change counts of the apps' numbers; nil while another process digests, because its changes are unknown.
  func appChanges() -> AppChangeCounter.State? { isDigesting ? changes.current : nil }

  /// The number of records that are on disk but not digested yet; nil if a database cannot be read.
  func lag() -> Int64? {
    guard let last = try? journal.lastSequence(), let applied = try? store.watermark(of: journal.node) else {
      return nil
    }
    return max(0, last - applied)
  }

  /// Waits until every record in the journal is digested and its rows are on the ClickHouse servers, if there are any.
  /// Throws if the digest makes no progress for a minute.
  func waitUntilDigested() throws {
    try waitUntilApplied(through: try journal.lastSequence())
    try sendRows()
  }

  /// Waits until the digest has applied every record up to `sequence`. Throws if it makes no progress for a minute.
  func waitUntilApplied(through sequence: Int64) throws {
    var (applied, since) = (try store.watermark(of: journal.node), ContinuousClock.now)
    while applied < sequence {
      usleep(50_000)
      let now = try store.watermark(of: journal.node)
      if now > applied { (applied, since) = (now, ContinuousClock.now) }
      guard since.duration(to: .now) < .seconds(60) else {
        throw UserFacingError("The digest has made no progress for a minute, at record \(applied) of \(sequence).")
      }
    }
  }

  /// Notes that data was deleted, so that cached pages are outdated.
  func noteErasure() { changes.noteAll() }

  /// Appends records of ingest nodes to the journal and passes them to the digest. `take` writes one transaction.
  func takeRelayed(_ take: (SQLiteJournal) throws -> RelayOutcome) throws -> RelayOutcome {
    let outcome = try take(journal)
    if case .taken(_, let batch?, _, _) = outcome {
      readiness.succeeded(.journal)
      readiness.note(appended: batch.through)
      digest.offer(batch)
    }
    return outcome
  }

  /// Appends what a primary has received to the journal of its standby, and passes it to the digest.
  func follow(_ excerpt: JournalExcerpt) throws {
    for batch in try journal.follow(excerpt) {
      readiness.note(appended: batch.through)
      digest.offer(batch)
    }
  }

  /// The service that carries out deletions while this process digests.
  var erasures: ErasureService { ErasureService(self, requests) }

  /// Commits the waiting records to the journal and stops its writer.
  func drainWriter() { writer.stop() }

  /// Commits all waiting records, digests them, and stops.
  public func stop() {
    drainWriter()
    // The process that digested may have ended before these records arrived. If this process cannot take over, the next
    // process digests them.
    do { try takeDigest() } catch { readiness.failed(.digest, error) }
    digest.release { feed?.stop() }
    // A failure affects only function names, which the next process adds.
    _ = try? regroup(retrying: false)
    use.withLock { $0 = nil }
  }

  /// Starts to digest, unless another process does. Returns whether this process digests.
  @discardableResult func takeDigest() throws -> Bool { try digest.take() }

  /// Checks whether another process has changed the store, and if so invalidates what was read before.
  func noticeOthers() {
    // If the check fails, assume a change.
    do { try store.noticeOthers() } catch { changes.noteAll() }
  }

  /// For each app, its own binaries that are named like Apple's.
  func ownBinaries() throws -> [AppID: Set<String>] {
    try control.apps().reduce(into: [:]) { found, app in
      if !app.settings.ownBinaries.isEmpty { found[app.id] = Set(app.settings.ownBinaries) }
    }
  }

  /// Assigns diagnostics to groups again with the symbols that are now available. When groups merge, copies decisions
  /// to the merged group.
  ///
  /// `retrying`: whether to include frames whose lookup has failed before.
  @discardableResult func regroup(retrying: Bool = true) throws -> Regrouping {
    try store.regroup(
      symbols: symbols, ownBinaries: ownBinaries(), decisions: control, retrying: retrying, now: clock.now)
  }

  /// Digests for at most ten seconds and stops. Call this after `drainWriter`. Remaining records stay in the journal
  /// for the next start.
  func stopDigest() {
    digest.release(within: 10) { feed?.stop() }
    use.withLock { $0 = nil }
  }

  /// Applies retention: compacts old rows, deletes diagnostic bodies beyond their limits, and purges digested
  /// records that are expired or beyond 1 GiB. Then returns free pages to the file system: all of them, or those of
  /// files that are mostly free. Rewrites files of older versions first if they fit in `room` bytes. Returns the bytes
  /// freed.
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
    // This is last, because an unreachable server must not block the maintenance of the folder.
    try store.expireRows(now: now)
    return released
  }

  /// Checks whether the clock is plausible. If it is, corrects what was received while it was not; otherwise returns
  /// the reason. `confirmed`: whether the operator has confirmed the clock.
  @discardableResult func reviewClock(confirmed: Bool = false) throws -> String? {
    if confirmed { clock.confirm() } else { clock.note(newest: try store.newestReceipt()) }
    if let doubt = clock.doubt { return doubt }
    let now = clock.now()
    try store.confirmClock(now)
    try journal.confirmClock(now)
    return nil
  }

  /// Purges digested records beyond 1 GiB after the journal has grown by 64 MiB, without waiting for the hourly
  /// maintenance. `isFull`: whether the disk has no space for payloads; then only 64 MiB are kept and free pages are
  /// returned to the file system.
  func purgeJournal(isFull: Bool, now: Timestamp) throws {
    guard isDigesting, journalGrowth.isDue(isFull: isFull) else { return }
    try journal.purge(
      through: try store.watermark(of: journal.node),
      // Nothing expires by age while the clock is in doubt.
      olderThan: clock.doubt == nil ? Self.time(retention.journal, before: now) : Timestamp(milliseconds: 0),
      keepingAtMost: isFull ? Self.mostAppliedBytesWhenFull : Self.mostAppliedBytes)
    if isFull { _ = try journal.releaseSpace(all: true, convertingWithin: 0) }
  }

  /// The most bytes of digested or relayed records to keep.
  static let mostAppliedBytes = 1 << 30
  /// The same while the disk has no space for payloads.
  static let mostAppliedBytesWhenFull = 64 << 20

  private static func time(_ days: Int, before now: Timestamp) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds - Int64(days) * 86_400_000)
  }
}
