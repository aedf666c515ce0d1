import Storage
import Synchronization

/// Reads of rows that are on other servers, which know no transactions: they are of one state if nothing was stored between
/// the first and the last of them.
final class FactReads: Sendable {
  /// Those of the snapshot that this thread is in.
  @TaskLocal private static var current: FactReads?

  /// How often a body is called at most, and how long it may take to be called again: what is stored every ten seconds would
  /// else keep a slow page from ever being shown.
  private static let attempts = 3
  private static let longest = Duration.seconds(2)

  /// The state at the first read; nil before it, because much is read without any rows.
  private let first = Mutex<FactTableState?>(nil)

  /// Calls `body` until what it read is of one state, and returns its last answer.
  static func settled<Answer>(_ facts: any FactTable, _ body: () throws -> Answer) throws -> Answer {
    guard current == nil else { return try body() }
    for _ in 1..<attempts {
      let reads = FactReads()
      let start = ContinuousClock.now
      let answer = try $current.withValue(reads, operation: body)
      guard let first = reads.first.withLock({ $0 }), ContinuousClock.now - start < longest,
        try facts.state() != first
      else { return answer }
    }
    return try body()
  }

  /// Notes the state before the first read of a snapshot.
  static func begin(_ facts: any FactTable) throws {
    guard let current, current.first.withLock({ $0 == nil }) else { return }
    let state = try facts.state()
    current.first.withLock { $0 = state }
  }
}
