import Dispatch
import Foundation
public import Storage
import Synchronization

/// The one thread that writes the journal: everything that waits is one transaction, and everybody is told after it is
/// on disk.
public final class JournalWriter: Sendable {
  /// Hears whether its records are on disk.
  public typealias Completion = @Sendable (Result<AppendOutcome, any Error>) -> Void

  private let journal: any Journal
  private let committed: @Sendable (JournalBatch) -> Void
  private let counts: @Sendable () -> [PendingRecords]
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private struct State {
    var pending: [PendingRecords] = []
    var completions: [Completion] = []
    var isStopping = false
    /// Nobody takes what waits any more.
    var hasEnded = false
  }

  /// `committed` is handed every batch right after it is on disk. `counts` is asked once a second for records of what
  /// was counted meanwhile.
  public init(
    journal: any Journal, counts: @escaping @Sendable () -> [PendingRecords],
    committed: @escaping @Sendable (JournalBatch) -> Void
  ) {
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

  /// Queues the records of one request. `completion` is called exactly once, on the writer's thread.
  public func append(_ records: PendingRecords, completion: @escaping Completion) {
    let place: Int? = state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.pending.append(records)
      state.completions.append(completion)
      return state.pending.count
    }
    guard let place else { return completion(.failure(JournalWriterEnded())) }
    if place == 1 { wake.signal() }
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
    while true {
      _ = wake.wait(timeout: .now() + .seconds(1))
      // Under load more requests arrive within the time a commit costs: a short wait makes fewer and larger commits.
      if load >= Self.busy { usleep(Self.gatherMicroseconds) }
      let (pending, completions, isStopping) = take()
      let now = DispatchTime.now()
      let areCountsDue = now.uptimeNanoseconds - lastCounts.uptimeNanoseconds >= 1_000_000_000
      if areCountsDue {
        if counted.isEmpty { counted = counts() }
        lastCounts = now
      }
      load += (Double(completions.count) - load) / 8
      let written = commit(pending + (areCountsDue ? counted : []), completions)
      if areCountsDue, written { counted = [] }
      if isStopping { return end(counted) }
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

  private func take() -> ([PendingRecords], [Completion], Bool) {
    state.withLock { state in
      let taken = (state.pending, state.completions, state.isStopping)
      state.pending = []
      state.completions = []
      state.pending.reserveCapacity(taken.0.count)
      return taken
    }
  }

  /// Records of counts stand behind those of requests and have no completion.
  private func commit(_ pending: [PendingRecords], _ completions: [Completion]) -> Bool {
    if pending.isEmpty { return true }
    do {
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

/// The server is stopping: the client has to send it again.
public struct JournalWriterEnded: Error, Sendable, CustomStringConvertible {
  public var description: String { "the journal's writer has stopped" }
}
