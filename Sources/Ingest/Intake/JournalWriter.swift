import Dispatch
import Foundation
public import Storage
import Synchronization

/// The only thread that writes to the journal. Each transaction takes everything that is queued. Completions are called
/// after it is on disk.
///
/// The queue is bounded; check `room` before decoding a body. If more is queued than one transaction may write, each
/// transaction takes an equal share from every app, so that no app waits behind another's flood.
public final class JournalWriter: Sendable {
  /// Called when the records are on disk, or with the error if they could not be written.
  public typealias Completion = @Sendable (Result<AppendOutcome, any Error>) -> Void

  private let journal: any Journal
  private let committed: @Sendable (JournalBatch) -> Void
  private let counts: @Sendable () -> [PendingRecords]
  private let failed: @Sendable (any Error) -> Void
  private let journaled: @Sendable ([AppID: JournaledBytes]) -> Void
  private let state: Mutex<State>
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private struct State {
    var pending: [PendingRecords] = []
    var completions: [Completion] = []
    /// The bytes per app of records that are queued or being written.
    var quota: PendingQuota
    var isStopping = false
    /// Whether the thread has ended. Nothing more is then accepted.
    var hasEnded = false
  }

  /// Creates a writer. `limit` is the most bytes of records that may be queued or being written. `counts` is called
  /// once a second and returns records of the counts made since. `failed` is called for each transaction that could not
  /// be written. `journaled` is called for each one that was, with the bytes of each app, before its requests are
  /// answered. `committed` is called with every batch after it is on disk.
  public init(
    journal: any Journal, limit: Int = 24 << 20, counts: @escaping @Sendable () -> [PendingRecords],
    failed: @escaping @Sendable (any Error) -> Void = { _ in },
    journaled: @escaping @Sendable ([AppID: JournaledBytes]) -> Void = { _ in },
    committed: @escaping @Sendable (JournalBatch) -> Void
  ) {
    self.failed = failed
    self.journaled = journaled
    state = Mutex(State(quota: PendingQuota(limit: limit)))
    self.journal = journal
    self.counts = counts
    self.committed = committed
  }

  /// Starts the writer's thread.
  public func start() {
    DispatchQueue(label: "plumb.journal", qos: .userInitiated).async { [self] in
      run()
      ended.signal()
    }
  }

  /// Whether more records of an app may be queued. Returns immediately.
  func room(for app: AppID) -> JournalRoom { state.withLock { $0.quota.room(for: app) } }

  /// The size of the records that are queued or being written, in bytes.
  var pendingBytes: Int { state.withLock { $0.quota.bytes } }

  /// Queues the records of one request. `completion` is called exactly once: on the writer's thread, or immediately if
  /// the records are refused.
  func append(_ records: PendingRecords, completion: @escaping Completion) {
    let waiting: Result<Int, any Error> = state.withLock { state in
      guard !state.hasEnded else { return .failure(JournalWriterEnded()) }
      guard state.quota.takes(records) else { return .failure(JournalCrowded()) }
      state.quota.add(records)
      state.pending.append(records)
      state.completions.append(completion)
      return .success(state.pending.count)
    }
    switch waiting {
    case .failure(let error): completion(.failure(error))
    case .success(let count): if count == 1 { wake.signal() }
    }
  }

  /// Writes all queued records, then ends the writer's thread.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wake.signal()
    ended.wait()
  }

  /// The moving average of requests per commit above which the writer waits for more requests.
  private static let busy = 4.0
  /// How long a busy writer waits for more requests before a commit.
  private static let gatherMicroseconds: UInt32 = 1000

  private func run() {
    var lastCounts = DispatchTime.now()
    var load = 0.0
    // Counts of a failed transaction are written with the next one.
    var counted: [PendingRecords] = []
    var isBehind = false
    while true {
      if !isBehind { _ = wake.wait(timeout: .now() + .seconds(1)) }
      // Under load, a short wait makes fewer and larger commits.
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

  /// Writes the remaining records, then the last counts. Duplicates are known only after their transaction.
  private func end(_ counted: [PendingRecords]) {
    let (pending, completions) = state.withLock { state in
      state.hasEnded = true
      defer { (state.pending, state.completions) = ([], []) }
      return (state.pending, state.completions)
    }
    _ = commit(pending, completions)
    _ = commit(counted + counts(), [])
  }

  /// The most bytes of one transaction, unless a single request is larger.
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

  /// An equal share for every app in the order of arrival, at least one request of each.
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

  /// Writes one transaction and calls the completions. Returns whether it is on disk; if not, records of counts must be
  /// written again. `pending` begins with the records of requests, which have one completion each. Records of counts
  /// follow and have none.
  private func commit(_ pending: [PendingRecords], _ completions: [Completion]) -> Bool {
    if pending.isEmpty { return true }
    do {
      defer {
        state.withLock { state in for records in pending.prefix(completions.count) { state.quota.remove(records) } }
      }
      let appended = try journal.append(pending)
      journaled(appended.bytes(of: pending))
      for (completion, outcome) in zip(completions, appended.outcomes) { completion(.success(outcome)) }
      if let batch = appended.batch { committed(batch) }
      return true
    } catch {
      failed(error)
      for completion in completions { completion(.failure(error)) }
      return false
    }
  }
}

extension Appended {
  /// The bytes of each app's stored records. Their size on disk is divided in proportion to their encoded size.
  fileprivate func bytes(of pending: [PendingRecords]) -> [AppID: JournaledBytes] {
    var found: [AppID: JournaledBytes] = [:]
    for (records, outcome) in zip(pending, outcomes) {
      if case .accepted = outcome { found[records.app, default: JournaledBytes()].encoded += records.bytes.count }
    }
    let all = Double(max(1, batch?.records.count ?? 0))
    return found.mapValues {
      JournaledBytes(encoded: $0.encoded, stored: Int(Double(storedBytes) * Double($0.encoded) / all))
    }
  }
}

/// The error when the queue is full.
struct JournalCrowded: Error, Sendable, CustomStringConvertible {
  var description: String { "too many records are waiting for the journal" }
}

/// The error while the server stops. The client should send the request again.
struct JournalWriterEnded: Error, Sendable, CustomStringConvertible {
  var description: String { "the journal's writer has stopped" }
}

/// Whether more records may be queued for the journal.
public enum JournalRoom: Sendable, Equatable {
  case enough
  /// The app has used its share of the queue.
  case appHasTooMuch
  /// The writer's queue is full.
  case none
}

/// The bytes of each app that wait for the journal. An app may use as much as it leaves free, so that another app
/// always has room (see `BodyMemoryPool`).
struct PendingQuota {
  private let limit: Int
  private(set) var bytes = 0
  private var apps: [AppID: Int] = [:]

  init(limit: Int) { self.limit = limit }

  func room(for app: AppID) -> JournalRoom {
    if bytes >= limit { return .none }
    return apps[app] ?? 0 <= limit - bytes ? .enough : .appHasTooMuch
  }

  /// Whether an admitted request still fits. Several may be decoded at once, so twice the limit is accepted.
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

  /// The size of the records in memory, including their overhead.
  static func size(_ records: PendingRecords) -> Int { records.bytes.count + 256 }
}
