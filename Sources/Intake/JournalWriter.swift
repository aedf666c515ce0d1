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
    let wasIdle = state.withLock { state in
      state.pending.append(records)
      state.completions.append(completion)
      return state.pending.count == 1
    }
    if wasIdle { wake.signal() }
  }

  /// Writes what waits, then ends the thread.
  public func stop() {
    state.withLock { $0.isStopping = true }
    wake.signal()
    ended.wait()
  }

  /// From so many requests a commit on, as a moving mean, the writer waits for more to come.
  private static let busy = 4.0
  private static let gatherMicroseconds: UInt32 = 500

  private func run() {
    var lastCounts = DispatchTime.now()
    var load = 0.0
    while true {
      _ = wake.wait(timeout: .now() + .seconds(1))
      // Under load more requests arrive within the time a commit costs: a short wait makes fewer and larger commits.
      if load >= Self.busy { usleep(Self.gatherMicroseconds) }
      var (pending, completions, isStopping) = take()
      let now = DispatchTime.now()
      if isStopping || now.uptimeNanoseconds - lastCounts.uptimeNanoseconds >= 1_000_000_000 {
        pending += counts()
        lastCounts = now
      }
      load += (Double(completions.count) - load) / 8
      if !pending.isEmpty { commit(pending, completions) }
      if isStopping { return }
    }
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
  private func commit(_ pending: [PendingRecords], _ completions: [Completion]) {
    do {
      let appended = try journal.append(pending)
      for (completion, outcome) in zip(completions, appended.outcomes) { completion(.success(outcome)) }
      if let batch = appended.batch { committed(batch) }
    } catch {
      for completion in completions { completion(.failure(error)) }
    }
  }
}
