import Dispatch
public import Storage
import Synchronization

/// The thread that digests: batches in order, from the live queue while it keeps up, from the journal when it does not.
///
/// Deltas are merged in memory and flushed to the store two seconds after their first record, or when they are heavy.
public final class DigestLoop: Sendable {
  /// How the loop paces itself.
  public struct Configuration: Sendable {
    /// The live queue's bound in bytes; what does not fit is read from the journal later.
    public var queueLimit = 16 << 20
    /// A flush happens at the latest this long after the first record, in nanoseconds.
    public var flushInterval: UInt64 = 2_000_000_000
    /// An idle loop looks into the journal this often, in nanoseconds: `plumb import` writes there, too.
    public var pollInterval: UInt64 = 2_000_000_000
    /// A flush happens when the deltas weigh this much, in bytes.
    public var flushWeight = 32 << 20

    public init() {}
  }

  private let journal: any Journal
  private let store: any Store
  private let configuration: Configuration
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)

  private struct State {
    var queue: [JournalBatch] = []
    var queuedBytes = 0
    /// Batches were turned away: the journal has them.
    var isBehind = true
    var isStopping = false
    var appliedThrough: Int64 = 0
  }

  /// `report` hears of errors of the store or journal; the loop tries again a second later.
  public init(
    journal: any Journal, store: any Store, configuration: Configuration = .init(),
    report: @escaping @Sendable (any Error) -> Void
  ) {
    self.journal = journal
    self.store = store
    self.configuration = configuration
    self.report = report
  }

  /// The sequence up to which records are in the store.
  public var appliedThrough: Int64 { state.withLock { $0.appliedThrough } }

  /// Starts at the store's watermark, on a thread of its own.
  public func start() throws {
    let watermark = try store.watermark(of: journal.node)
    state.withLock { $0.appliedThrough = watermark }
    let thread = DispatchQueue(label: "plumb.digest", qos: .utility)
    thread.async { [self] in
      run(after: watermark)
      stopped.signal()
    }
  }

  /// Hands over a batch that was just committed. Never blocks.
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

  /// Digests and flushes everything the journal holds, then ends the thread.
  public func stop() {
    state.withLock {
      $0.isStopping = true
      $0.isBehind = true
    }
    wake.signal()
    stopped.wait()
  }

  private func run(after watermark: Int64) {
    var digester = Digester()
    var next = watermark + 1
    var deadline: UInt64?
    while true {
      let isStopping = state.withLock { $0.isStopping }
      do {
        let batches = try nextBatches(from: next)
        for batch in batches {
          digester.digest(batch)
          next = batch.through + 1
        }
        let now = DispatchTime.now().uptimeNanoseconds
        if deadline == nil, !digester.isEmpty { deadline = now + configuration.flushInterval }
        let isDrained = isStopping && batches.isEmpty
        if now >= deadline ?? .max || isDrained || digester.weight > configuration.flushWeight {
          try flush(&digester)
          deadline = nil
        }
        if isDrained { return }
        if batches.isEmpty {
          wait(until: deadline ?? now + configuration.pollInterval)
          // Nothing was offered for a while: another process may have written to the journal.
          if deadline == nil { state.withLock { $0.isBehind = true } }
        }
      } catch {
        report(error)
        if isStopping { return }
        // What was digested and not flushed is read again from the journal: the watermark has not moved.
        digester = Digester()
        deadline = nil
        next = ((try? store.watermark(of: journal.node)) ?? (next - 1)) + 1
        state.withLock { $0.isBehind = true }
        wait(until: DispatchTime.now().uptimeNanoseconds + 1_000_000_000)
      }
    }
  }

  /// The batches that start at `next`: live ones, or the journal's when the live queue has a gap.
  private func nextBatches(from next: Int64) throws -> [JournalBatch] {
    let (live, isBehind) = state.withLock { state in
      let taken = state.queue
      state.queue = []
      state.queuedBytes = 0
      let wasBehind = state.isBehind
      state.isBehind = false
      return (taken, wasBehind)
    }
    let fresh = live.filter { $0.first >= next }
    if !isBehind, Self.isContiguous(fresh, from: next) { return fresh }
    let stored = try journal.batches(after: next - 1, limit: 4 << 20)
    // As long as the journal has more, what is offered live is read from there, in order.
    if !stored.isEmpty { state.withLock { $0.isBehind = true } }
    return stored
  }

  /// No batch of another process stands before or between them.
  private static func isContiguous(_ batches: [JournalBatch], from first: Int64) -> Bool {
    var next = first
    for batch in batches {
      guard batch.first == next else { return false }
      next = batch.through + 1
    }
    return true
  }

  private func flush(_ digester: inout Digester) throws {
    guard let batch = digester.take(node: journal.node) else { return }
    try store.apply(batch)
    state.withLock { $0.appliedThrough = batch.through }
  }

  private func wait(until deadline: UInt64) {
    _ = wake.wait(timeout: DispatchTime(uptimeNanoseconds: deadline))
  }
}
