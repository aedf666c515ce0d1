import Foundation
import Synchronization
import Testing

@testable import Core
@testable import Statistics
@testable import Storage

/// A journal in memory.
final class MemoryJournal: Journal {
  let node = Fixture.node
  private let state = Mutex((batches: [JournalBatch](), reads: 0))
  private let dry = Mutex<(@Sendable () -> Void)?>(nil)

  var reads: Int { state.withLock { $0.reads } }

  func add(_ batch: JournalBatch) { state.withLock { $0.batches.append(batch) } }

  /// Runs `body` once, right after a read that found everything it holds read already.
  func whenDry(_ body: @escaping @Sendable () -> Void) { dry.withLock { $0 = body } }

  func append(_ pending: [PendingRecords]) throws -> Appended { Appended(outcomes: [], batch: nil) }

  func batches(after sequence: Int64, limit: Int) throws -> [JournalBatch] {
    let found = state.withLock { state in
      state.reads += 1
      var bytes = 0
      return Array(
        state.batches.filter { $0.through > sequence }.prefix { batch in
          defer { bytes += batch.records.count }
          return bytes < limit
        })
    }
    if found.isEmpty, sequence > 0 {
      let body = dry.withLock { body in
        defer { body = nil }
        return body
      }
      body?()
    }
    return found
  }

  func lastSequence() throws -> Int64 { state.withLock { $0.batches.last?.through ?? 0 } }

  func purge(through sequence: Int64, olderThan: Timestamp, keepingAtMost bytes: Int) throws {}
}

/// A store that keeps what was applied, refuses what does not follow, and fails as often as it is told.
final class MemoryStore: Store {
  private let state: Mutex<(applied: [DigestedBatch], failures: Int)>
  private let gate = NSRecursiveLock()
  private let refused = Mutex<Set<UInt64>>([])

  init(failures: Int = 0) { state = Mutex(([], failures)) }

  var applied: [DigestedBatch] { state.withLock { $0.applied } }

  /// Batches with a session of this id are refused.
  func refuse(_ session: UInt64) { refused.withLock { _ = $0.insert(session) } }

  /// Nothing is applied while `body` runs.
  func hold(_ body: () -> Void) { gate.withLock(body) }

  func position(of node: NodeID) throws -> DigestPosition { state.withLock { Self.position($0.applied) } }

  private static func position(_ applied: [DigestedBatch]) -> DigestPosition {
    DigestPosition(through: applied.last?.through ?? 0, behind: applied.last?.behind ?? [:])
  }

  func apply(_ batch: DigestedBatch) throws {
    try gate.withLock {
      try state.withLock { state in
        if state.failures > 0 {
          state.failures -= 1
          throw StoreError.damaged("the disk is full")
        }
        let position = Self.position(state.applied)
        guard batch.from == position.through + 1, batch.behindBefore == position.behind else {
          throw StoreError.notContiguous(expected: position.through + 1, offered: batch.from)
        }
        let refused = refused.withLock { $0 }
        let batch = try batch.whole()
        if batch.sessions.contains(where: { refused.contains($0.id) }) { throw StoreError.damaged("refused") }
        state.applied.append(batch)
      }
    }
  }

  func rows(_ query: RowQuery) throws -> [MetricRow] { [] }
  func inventory(of app: AppID) throws -> AppInventory { AppInventory() }
  func tallies(of app: AppID, in window: Window) throws -> [IntakeTally] { [] }
  func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] { [] }
  func sample(of app: AppID, identity: UInt64) throws -> StoredSample? { nil }
  func compact(now: Timestamp) throws {}
}

/// How many errors a loop reported.
final class ErrorCount: Sendable {
  private let state = Mutex(0)
  var count: Int { state.withLock { $0 } }
  func add() { state.withLock { $0 += 1 } }
}

extension DigestedBatch {
  /// The batch with the changes of its parts.
  func whole() throws -> DigestedBatch {
    var whole = self
    whole.parts = nil
    try parts?.forEach { part in
      whole.cells += part.cells
      whole.tallies += part.tallies
    }
    return whole
  }
}

extension Aggregate {
  /// Values of a distribution; 0 for other kinds.
  var samples: Int { if case .distribution(let histogram) = self { histogram.count } else { 0 } }
}

func wait(_ seconds: Double) { Thread.sleep(forTimeInterval: seconds) }
