import Aggregation
import Dispatch
import SQLiteStore
import Storage
import Synchronization

/// The right to digest a folder, which one process holds at a time.
///
/// A process that starts while another digests (a server during `plumb import` of many files) runs without the lease
/// and takes it when it is free; meanwhile records wait in the journal.
final class DigestLease: Sendable {
  private let path: String
  private let loop: DigestLoop
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())

  private struct State {
    var lock: FolderLock?
    var hasEnded = false
  }

  /// `path` is the lock's file.
  init(_ path: String, _ loop: DigestLoop, report: @escaping @Sendable (any Error) -> Void) {
    self.path = path
    self.loop = loop
    self.report = report
  }

  /// Whether this process digests.
  var isTaken: Bool { state.withLock { $0.lock != nil } }

  /// Takes the lease if it is free and starts to digest; false when another process holds it.
  @discardableResult
  func take() throws -> Bool {
    try state.withLock { state in
      guard !state.hasEnded, state.lock == nil, let lock = try FolderLock(path: path) else { return state.lock != nil }
      try loop.start()
      state.lock = lock
      return true
    }
  }

  /// Tries again every half second until the lease is taken or `release` was called.
  func takeWhenFree() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 0.5) { [self] in
      do {
        if try take() || state.withLock({ $0.hasEnded }) { return }
      } catch {
        report(error)
      }
      takeWhenFree()
    }
  }

  /// Hands a batch that was just committed to the digest. Without the lease it stays in the journal.
  func offer(_ batch: JournalBatch) {
    if isTaken { loop.offer(batch) }
  }

  /// Digests what is left if this process holds the lease, and releases it. What is not done after `seconds` is left to
  /// the process that takes the lease next.
  func release(within seconds: Double? = nil) {
    let lock = state.withLock { state in
      state.hasEnded = true
      return state.lock
    }
    guard let lock else { return }
    loop.stop(within: seconds)
    withExtendedLifetime(lock) { state.withLock { $0.lock = nil } }
  }
}
