import Storage
import Synchronization

/// Consistent reads of rows on ClickHouse servers, which have no transactions: a group of reads is repeated until
/// nothing was stored while it ran.
final class ConsistentReads: Sendable {
  /// The reads of the current snapshot.
  @TaskLocal private static var current: ConsistentReads?

  /// The maximum number of calls of a body. A call that took longer than `longest` is not repeated: rows are stored
  /// every ten seconds, so a slow page would never settle.
  private static let attempts = 3
  static let longest = Duration.seconds(2)

  /// The state at the first read; nil before it, because many reads need no rows.
  private let first = Mutex<FactTableState?>(nil)

  /// Calls `body` until its reads all saw one state, and returns its last result.
  static func settled<Answer>(_ facts: any FactTable, _ body: () throws -> Answer) throws -> Answer {
    guard current == nil else { return try body() }
    for _ in 1..<attempts {
      let reads = ConsistentReads()
      let start = ContinuousClock.now
      let answer = try $current.withValue(reads, operation: body)
      guard let first = reads.first.withLock({ $0 }), ContinuousClock.now - start < longest,
        try facts.state() != first
      else { return answer }
    }
    return try body()
  }

  /// Records the state before the first read of a snapshot.
  static func begin(_ facts: any FactTable) throws {
    guard let current, current.first.withLock({ $0 == nil }) else { return }
    let state = try facts.state()
    current.first.withLock { $0 = state }
  }
}
