import Dispatch
public import Storage
import Synchronization

/// The thread that digests batches in order: from its live queue, or from the journal when it falls behind.
///
/// Changes are merged in memory and then written to the store. A flush happens one second after the last one. It
/// happens 250 ms after the first record if the digest was idle, and early if writing would take long. No app uses more
/// than its share of a flush while another waits; see `DigestPosition`.
public final class DigestLoop: Sendable {
  /// Called on the digest's thread after a crash, with the position that the crashed process was working towards. The
  /// loop then digests the remaining records.
  public typealias Recovery = @Sendable (DigestPosition) throws -> Void

  private let journal: any Journal
  private let store: any Store
  private let marker: (any DigestMarker)?
  private let recovery: Recovery?
  private let configuration: Configuration
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)

  private struct State {
    var queue: [JournalBatch] = []
    var queuedBytes = 0
    /// Whether some batches did not fit into the queue and must be read from the journal.
    var isBehind = true
    var isStopping = false
    /// The uptime in nanoseconds at which digesting stops. Remaining records stay in the journal for the next start.
    var stopAt = UInt64.max
    var appliedThrough: Int64 = 0
  }

  /// Creates a loop. `report` receives errors of the store or journal; the loop retries after a second. `marker` is set
  /// while records are digested.
  public init(
    journal: any Journal, store: any Store, marker: (any DigestMarker)? = nil, recovery: Recovery? = nil,
    configuration: Configuration = .init(), report: @escaping @Sendable (any Error) -> Void
  ) {
    self.journal = journal
    self.store = store
    self.marker = marker
    self.recovery = recovery
    self.configuration = configuration
    self.report = report
  }

  /// The sequence up to which records are in the store.
  var appliedThrough: Int64 { state.withLock { $0.appliedThrough } }

  /// Starts the thread at the store's position.
  public func start() throws {
    let position = try store.position(of: journal.node)
    state.withLock { $0.appliedThrough = position.applied }
    let thread = DispatchQueue(label: "plumb.digest", qos: .utility)
    thread.async { [self] in
      run(after: position)
      stopped.signal()
    }
  }

  /// Queues a batch that was just committed. Never blocks.
  public func offer(_ batch: JournalBatch) {
    let wasIdle = state.withLock { state in
      let wasIdle = state.queue.isEmpty
      if state.queuedBytes + batch.records.count > configuration.queueLimit {
        state.isBehind = true
      } else {
        state.queue.append(batch)
        state.queuedBytes += batch.records.count
      }
      return wasIdle
    }
    if wasIdle { wake.signal() }
  }

  /// Digests and writes everything in the journal, then ends the thread. After `seconds`, remaining records stay in the
  /// journal for the next start; a transaction that is being written has another `grace` seconds. Returns whether the
  /// thread has ended.
  ///
  /// Nil sets no limit. Commands pass nil: their output needs every record, and a person can interrupt them.
  @discardableResult
  public func stop(within seconds: Double? = nil, grace: Double = 20) -> Bool {
    state.withLock {
      $0.isStopping = true
      if let seconds { $0.stopAt = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9) }
      $0.isBehind = true
    }
    wake.signal()
    guard let seconds else {
      stopped.wait()
      return true
    }
    return stopped.wait(timeout: .now() + seconds + grace) == .success
  }

  private func run(after position: DigestPosition) {
    var pace = AdaptiveDigestLimits(configuration.limits)
    var round = DigestRound(after: recovered(from: position), of: journal.node, limits: pace.limits)
    var input: ArraySlice<JournalBatch> = []
    var deadline: UInt64?
    var flushed: UInt64 = 0
    // When the round got its first records.
    var began: UInt64 = 0
    // Whether the round has records that were read from the journal.
    var hasBacklog = false
    var failures = 0
    // Whether the last flush left out apps that are behind. The next flush must then include them.
    var isTurnOwed = false
    while true {
      let (isStopping, stopAt) = state.withLock { ($0.isStopping, $0.stopAt) }
      do {
        if isStopping, DispatchTime.now().uptimeNanoseconds > stopAt {
          if !round.isEmpty { try flush(&round, &pace) }
          return
        }
        if input.isEmpty {
          let (batches, areStored) = try nextBatches(from: round.position.through + 1)
          input = batches[...]
          hasBacklog = hasBacklog || areStored
        }
        let isIdle = input.isEmpty && round.catchUpStart == nil
        var isShort = false
        try pace.measure {
          try advance(&round, &input)
          // Flush new records of other apps now. A turn of the apps that are behind needs a flush to itself.
          isShort = !isTurnOwed && round.isAheadOfOthers
          if !round.isFull, !isShort, round.catchUpStart != nil {
            try catchUp(&round)
            hasBacklog = true
          }
        }
        let now = DispatchTime.now().uptimeNanoseconds
        if deadline == nil, !round.isEmpty {
          began = now
          deadline = max(now + configuration.gathering, flushed + configuration.flushInterval)
        }
        let isDrained = isStopping && isIdle
        // Every app that is behind has had its share. The next round begins immediately.
        let isTurnOver = isIdle && !round.position.behind.isEmpty
        // The journal is read to its end, so waiting would not add more records that waited in it.
        if isIdle, hasBacklog, let due = deadline { deadline = min(due, began + configuration.gathering) }
        if !round.isEmpty, now >= deadline ?? .max || isDrained || isTurnOver || isShort || round.isFull {
          try flush(&round, &pace)
          isTurnOwed = isShort
          (deadline, failures, hasBacklog) = (nil, 0, false)
          let end = DispatchTime.now().uptimeNanoseconds
          // A slow flush is followed by a longer pause, so that the next one merges more.
          flushed = end + min(end - now, configuration.flushInterval)
        }
        if isDrained, round.position.behind.isEmpty { return }
        if isIdle, round.position.behind.isEmpty {
          wait(until: deadline ?? now + configuration.pollInterval)
          // No batch was offered for a while, but another process may have written to the journal.
          if deadline == nil { state.withLock { $0.isBehind = true } }
        }
      } catch {
        report(error)
        if isStopping { return }
        failures += 1
        // Records that were merged but not written are read again, because the stored position has not moved.
        let known = (try? store.position(of: journal.node)) ?? round.start
        let target = round.position
        round = DigestRound(after: known, of: journal.node, limits: pace.limits)
        (input, deadline) = ([], nil)
        state.withLock { $0.isBehind = true }
        if failures >= Self.mostFailures, error is StoreError {
          round = DigestRound(after: oneByOne(to: target, from: known), of: journal.node, limits: pace.limits)
          failures = 0
        } else {
          wait(until: DispatchTime.now().uptimeNanoseconds + 1_000_000_000)
        }
      }
    }
  }

  /// The number of failures after which records are applied one by one. By then the store probably refuses a single
  /// record.
  private static let mostFailures = 3

  /// The most records that are quarantined. A store that refuses more is probably faulty itself.
  private static let mostRefused = 50

  // MARK: Reading batches

  private func advance(_ round: inout DigestRound, _ input: inout ArraySlice<JournalBatch>) throws {
    while !round.isFull, let batch = input.first {
      try marked(round.target(advancingThrough: batch)) { round.advance(through: batch) }
      if round.position.through >= batch.through { input.removeFirst() }
    }
  }

  /// Merges one portion of the skipped records of apps that are behind.
  private func catchUp(_ round: inout DigestRound) throws {
    guard let start = round.catchUpStart else { return }
    let batches = try journal.batches(after: start, limit: 1 << 20)
    if batches.isEmpty {
      report(MissingRecords(after: start))
      round.forgetPassed()
    }
    for batch in batches where !round.isFull {
      try marked(round.target(catchingUpThrough: batch)) { round.catchUp(through: batch) }
    }
  }

  /// The batches from `next` on, from the live queue or, if the queue has a gap, from the journal.
  private func nextBatches(from next: Int64) throws -> (batches: [JournalBatch], areStored: Bool) {
    let (live, isBehind) = state.withLock { state in
      let taken = state.queue
      state.queue = []
      state.queuedBytes = 0
      let wasBehind = state.isBehind
      state.isBehind = false
      return (taken, wasBehind)
    }
    let fresh = live.filter { $0.through >= next }
    if !isBehind, Self.isContiguous(fresh, from: next) { return (fresh, false) }
    let stored = try journal.batches(after: next - 1, limit: 4 << 20)
    // While the journal has more batches, live ones are also read from it, in order.
    if !stored.isEmpty { state.withLock { $0.isBehind = true } }
    return (stored, !stored.isEmpty)
  }

  /// Whether the batches are contiguous from `first` on. A gap means that another process wrote a batch.
  private static func isContiguous(_ batches: [JournalBatch], from first: Int64) -> Bool {
    var next = first
    for batch in batches {
      guard batch.first <= next else { return false }
      next = batch.through + 1
    }
    return true
  }

  // MARK: Writing

  private func flush(_ round: inout DigestRound, _ pace: inout AdaptiveDigestLimits) throws {
    let position = round.position
    let work = round.work
    let batch = round.close()
    try pace.measure { try marked(position) { try store.apply(batch) } }
    pace.learn(estimate: work)
    state.withLock { $0.appliedThrough = position.applied }
    round = DigestRound(after: position, of: journal.node, limits: pace.limits)
  }

  private func marked(_ target: DigestPosition, _ body: () throws -> Void) throws {
    try marker?.set(target)
    try body()
    try marker?.clear()
  }

  private func wait(until deadline: UInt64) {
    _ = wake.wait(timeout: DispatchTime(uptimeNanoseconds: deadline))
  }

  // MARK: Recovery after a crash

  private func recovered(from position: DigestPosition) -> DigestPosition {
    guard let marker, let recovery else { return position }
    do {
      guard let target = try marker.read(), !position.covers(target) else { return position }
      try recovery(target)
      try marker.clear()
      return try store.position(of: journal.node)
    } catch {
      report(error)
      return position
    }
  }

  /// Applies the records from the store's position to `target` in large batches, on this thread.
  public func digest(to target: DigestPosition) throws {
    try replay(to: target, records: .max, settingAside: [])
  }

  /// Applies the same records one per transaction and skips those in `settingAside`. The marker is set to each record
  /// before it is digested. A record that the store refuses is also quarantined.
  public func digestOneByOne(to target: DigestPosition, settingAside: Set<Int64>) throws {
    try replay(to: target, records: 1, settingAside: settingAside)
  }

  private func oneByOne(to target: DigestPosition, from known: DigestPosition) -> DigestPosition {
    do {
      try digestOneByOne(to: target, settingAside: [])
      return try store.position(of: journal.node)
    } catch {
      report(error)
      return known
    }
  }

  private func replay(to target: DigestPosition, records: Int, settingAside: Set<Int64>) throws {
    var setAside = settingAside
    var pace = AdaptiveDigestLimits(configuration.limits)
    while true {
      var limits = pace.limits
      limits.records = records
      var round = DigestRound(after: try store.position(of: journal.node), of: journal.node, limits: limits)
      if round.position.covers(target) { return }
      var suspect: Int64 = 0
      if records == 1 {
        round.willDigest = { [marker, report] sequence in
          suspect = sequence
          do { try marker?.set(DigestPosition(through: sequence)) } catch { report(error) }
        }
      }
      try takeOn(&round, to: target, settingAside: setAside)
      if round.isEmpty { return }
      let work = round.work
      do {
        try pace.measure { try store.apply(round.close()) }
        pace.learn(estimate: work)
      } catch let error as StoreError
        where records == 1 && setAside.count < settingAside.count + Self.mostRefused
        && setAside.insert(suspect).inserted
      {
        report(error)
      }
    }
  }

  /// Merges new records first, then the skipped ones of apps that are behind.
  private func takeOn(_ round: inout DigestRound, to target: DigestPosition, settingAside: Set<Int64>) throws {
    let isAhead = round.position.through < target.through
    guard let start = isAhead ? round.position.through : round.catchUpStart else { return }
    for batch in try journal.batches(after: start, limit: 1 << 20) where !round.isFull {
      if isAhead {
        round.advance(through: batch, settingAside: settingAside)
      } else {
        round.catchUp(through: batch, settingAside: settingAside)
      }
    }
  }
}

/// The error when skipped records are missing from the journal, because it was replaced or purged by hand.
struct MissingRecords: Error, CustomStringConvertible {
  let after: Int64

  var description: String {
    "skipped records after \(after) are missing from the journal and will not be counted"
  }
}
