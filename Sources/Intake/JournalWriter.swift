import Dispatch
import Foundation
public import Storage
import Synchronization

/// The one thread that writes the journal: everything that waits is one transaction, and completions are called once it is
/// on disk.
///
/// What may wait is bounded; `room` is checked before a body is decoded. When more waits than one transaction writes, each
/// transaction takes an equal part from every app, so that no app waits behind another's flood.
public final class JournalWriter: Sendable {
  /// Called with whether the records are on disk.
  public typealias Completion = @Sendable (Result<AppendOutcome, any Error>) -> Void

  private let journal: any Journal
  private let committed: @Sendable (JournalBatch) -> Void
  private let counts: @Sendable () -> [PendingRecords]
  private let state: Mutex<State>
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private struct State {
    var pending: [PendingRecords] = []
    var completions: [Completion] = []
    /// Of what waits and of what is being written.
    var ledger: PendingLedger
    var isStopping = false
    /// The thread has ended: nothing more is taken.
    var hasEnded = false
  }

  /// `committed` is called with every batch right after it is on disk. `counts` is called once a second for records of what
  /// was counted meanwhile.
  ///
  /// `limit` is how many bytes of records may wait, or be on their way to the disk.
  public init(
    journal: any Journal, limit: Int = 24 << 20, counts: @escaping @Sendable () -> [PendingRecords],
    committed: @escaping @Sendable (JournalBatch) -> Void
  ) {
    state = Mutex(State(ledger: PendingLedger(limit: limit)))
    self.journal = journal
    self.counts = counts
    self.committed = committed
  }

  /// Starts the thread.
  public func start() {
    DispatchQueue(label: "plumb.journal", qos: .userInitiated).async { [self] in
      run()
      ended.signal()
    }
  }

  /// Whether more records of an app may wait. Never waits itself.
  public func room(for app: AppID) -> JournalRoom { state.withLock { $0.ledger.room(for: app) } }

  /// Bytes of records that wait or are being written.
  public var pendingBytes: Int { state.withLock { $0.ledger.bytes } }

  /// Queues the records of one request. `completion` is called exactly once: on the writer's thread, or at once when they
  /// cannot be taken.
  public func append(_ records: PendingRecords, completion: @escaping Completion) {
    let waiting: Result<Int, any Error> = state.withLock { state in
      guard !state.hasEnded else { return .failure(JournalWriterEnded()) }
      guard state.ledger.takes(records) else { return .failure(JournalCrowded()) }
      state.ledger.add(records)
      state.pending.append(records)
      state.completions.append(completion)
      return .success(state.pending.count)
    }
    switch waiting {
    case .failure(let error): completion(.failure(error))
    case .success(let count): if count == 1 { wake.signal() }
    }
  }

  /// Writes what waits, then ends the thread.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wake.signal()
    ended.wait()
  }

  /// From so many requests a commit on, as a moving mean, the writer waits for more to come.
  private static let busy = 4.0
  private static let gatherMicroseconds: UInt32 = 1000

  private func run() {
    var lastCounts = DispatchTime.now()
    var load = 0.0
    // Counts whose transaction failed wait for the next one.
    var counted: [PendingRecords] = []
    var isBehind = false
    while true {
      if !isBehind { _ = wake.wait(timeout: .now() + .seconds(1)) }
      // Under load more requests arrive within the time a commit costs: a short wait makes fewer and larger commits.
      if load >= Self.busy { usleep(Self.gatherMicroseconds) }
      let (pending, completions, isStopping) = take()
      isBehind = state.withLock { !$0.pending.isEmpty }
      let now = DispatchTime.now()
      let areCountsDue = now.uptimeNanoseconds - lastCounts.uptimeNanoseconds >= 1_000_000_000
      if areCountsDue {
        if counted.isEmpty { counted = counts() }
        lastCounts = now
      }
      load += (Double(completions.count) - load) / 8
      let written = commit(pending + (areCountsDue ? counted : []), completions)
      if areCountsDue, written { counted = [] }
      if isStopping, !isBehind { return end(counted) }
    }
  }

  /// What came in meanwhile, and what the last completions counted: a duplicate is known only after its transaction.
  private func end(_ counted: [PendingRecords]) {
    let (pending, completions) = state.withLock { state in
      state.hasEnded = true
      defer { (state.pending, state.completions) = ([], []) }
      return (state.pending, state.completions)
    }
    _ = commit(pending, completions)
    _ = commit(counted + counts(), [])
  }

  /// What one transaction writes at most, unless a single request is larger.
  private static let transactionBytes = 4 << 20

  private func take() -> ([PendingRecords], [Completion], Bool) {
    state.withLock { state in
      var taken = (state.pending, state.completions, state.isStopping)
      state.pending = []
      state.completions = []
      if taken.0.reduce(0, { $0 + $1.bytes.count }) > Self.transactionBytes {
        taken = Self.fairPart(of: taken.0, taken.1, leaving: &state, taken.2)
      } else {
        state.pending.reserveCapacity(taken.0.count)
      }
      return taken
    }
  }

  /// The same from every app, in the order in which it came, and at least one request of each.
  private static func fairPart(
    of pending: [PendingRecords], _ completions: [Completion], leaving state: inout State, _ isStopping: Bool
  ) -> ([PendingRecords], [Completion], Bool) {
    let quota = transactionBytes / max(1, Set(pending.lazy.map(\.app)).count)
    var used: [AppID: Int] = [:]
    var taken: ([PendingRecords], [Completion]) = ([], [])
    for (records, completion) in zip(pending, completions) {
      let before = used[records.app]
      used[records.app] = (before ?? 0) + records.bytes.count
      if before == nil || (before ?? 0) + records.bytes.count <= quota {
        taken.0.append(records)
        taken.1.append(completion)
      } else {
        state.pending.append(records)
        state.completions.append(completion)
      }
    }
    return (taken.0, taken.1, isStopping)
  }

  /// Records of counts stand behind those of requests and have no completion.
  private func commit(_ pending: [PendingRecords], _ completions: [Completion]) -> Bool {
    if pending.isEmpty { return true }
    do {
      defer {
        state.withLock { state in for records in pending.prefix(completions.count) { state.ledger.remove(records) } }
      }
      let appended = try journal.append(pending)
      for (completion, outcome) in zip(completions, appended.outcomes) { completion(.success(outcome)) }
      if let batch = appended.batch { committed(batch) }
      return true
    } catch {
      for completion in completions { completion(.failure(error)) }
      return false
    }
  }
}

/// More waits for the disk than may.
public struct JournalCrowded: Error, Sendable, CustomStringConvertible {
  public var description: String { "too many records wait for the journal" }
}

/// The server is stopping: the client has to send it again.
public struct JournalWriterEnded: Error, Sendable, CustomStringConvertible {
  public var description: String { "the journal's writer has stopped" }
}

/// Whether more records may wait for the journal.
public enum JournalRoom: Sendable, Equatable {
  case enough
  /// The app's own records fill what one app may have.
  case appHasTooMuch
  /// All that may wait does.
  case none
}

/// How many bytes wait for the journal, of each app. An app may have as much waiting as it leaves free, so that there is
/// always room for one more (see `BodyMemoryPool`).
struct PendingLedger {
  private let limit: Int
  private(set) var bytes = 0
  private var apps: [AppID: Int] = [:]

  init(limit: Int) { self.limit = limit }

  func room(for app: AppID) -> JournalRoom {
    if bytes >= limit { return .none }
    return apps[app] ?? 0 <= limit - bytes ? .enough : .appHasTooMuch
  }

  /// Whether a request that was let in still fits. Some are decoded at the same time, so there is twice the room.
  func takes(_ records: PendingRecords) -> Bool { bytes <= 2 * limit - Self.size(records) || bytes == 0 }

  mutating func add(_ records: PendingRecords) {
    bytes += Self.size(records)
    apps[records.app, default: 0] += Self.size(records)
  }

  mutating func remove(_ records: PendingRecords) {
    bytes -= Self.size(records)
    let left = (apps[records.app] ?? 0) - Self.size(records)
    apps[records.app] = left > 0 ? left : nil
  }

  /// With what stands around them in memory.
  static func size(_ records: PendingRecords) -> Int { records.bytes.count + 256 }
}
