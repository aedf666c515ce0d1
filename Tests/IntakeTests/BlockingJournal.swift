import Dispatch
import Synchronization

@testable import Core
@testable import Storage

/// A journal in memory that counts transactions, waits when it is told to, and fails as often as it is told to.
final class BlockingJournal: Journal {
  let node = NodeID("00000000000000aa")
  private let state: Mutex<State>
  private let gate = DispatchSemaphore(value: 0)
  private let entered = DispatchSemaphore(value: 0)

  private struct State {
    var failures: Int
    var isBlocking: Bool
    var transactions: [[PendingRecords]] = []
    var receipts: Set<UInt64> = []
    var last: Int64 = 0
  }

  struct DiskFull: Error {}

  init(failures: Int = 0, isBlocking: Bool = false) {
    state = Mutex(State(failures: failures, isBlocking: isBlocking))
  }

  /// The requests of every transaction that was committed.
  var transactions: [[PendingRecords]] { state.withLock { $0.transactions } }

  /// Returns when a transaction waits.
  func waitUntilBlocked() -> Bool { entered.wait(timeout: .now() + .seconds(5)) == .success }

  /// Lets the transaction that waits commit, and every one after it.
  func release() {
    state.withLock { $0.isBlocking = false }
    gate.signal()
  }

  func append(_ pending: [PendingRecords]) throws -> Appended {
    if state.withLock({ $0.isBlocking }) {
      entered.signal()
      gate.wait()
    }
    return try state.withLock { state in
      if state.failures > 0 {
        state.failures -= 1
        throw DiskFull()
      }
      state.transactions.append(pending)
      var outcomes: [AppendOutcome] = []
      let first = state.last + 1
      for request in pending {
        if let receipt = request.receipt, !state.receipts.insert(receipt.key).inserted {
          outcomes.append(.duplicate(isReused: false))
        } else {
          state.last += Int64(request.count)
          outcomes.append(.accepted(through: state.last))
        }
      }
      let count = Int(state.last - first + 1)
      return Appended(
        outcomes: outcomes, batch: count > 0 ? JournalBatch(first: first, count: count, records: []) : nil)
    }
  }

  func batches(after sequence: Int64, limit: Int) throws -> [JournalBatch] { [] }
  func lastSequence() throws -> Int64 { state.withLock { $0.last } }
  func purge(through sequence: Int64, olderThan: Timestamp, keepingAtMost bytes: Int) throws {}
}

/// What completions heard.
final class Heard: Sendable {
  private let results = Mutex<[Int: [Result<AppendOutcome, any Error>]]>([:])

  func completion(_ number: Int) -> @Sendable (Result<AppendOutcome, any Error>) -> Void {
    { result in self.results.withLock { $0[number, default: []].append(result) } }
  }

  /// How many heard something.
  var count: Int { results.withLock { $0.count } }
  /// Every one heard exactly one thing.
  var isOnceEach: Bool { results.withLock { $0.values.allSatisfy { $0.count == 1 } } }

  func outcome(_ number: Int) -> AppendOutcome? {
    results.withLock { results in
      if case .success(let outcome)? = results[number]?.first { outcome } else { nil }
    }
  }

  var failures: Int {
    results.withLock { results in
      results.values.reduce(0) { sum, heard in
        if case .failure? = heard.first { sum + 1 } else { sum }
      }
    }
  }
}
