import Dispatch
import Ingest
import SQLiteStore
import Storage
import Synchronization

/// The exclusive right of one process to digest a data folder.
///
/// A process that starts while another digests, such as a server during a long `plumb import`, runs without the lease
/// and takes it when it is free. Meanwhile its records wait in the journal.
final class DigestLease: Sendable {
  private let path: String
  private let loop: DigestLoop
  private let report: @Sendable (any Error) -> Void
  private let state = Mutex(State())

  private struct State {
    var lock: FolderLock?
    var hasEnded = false
  }

  /// Creates a lease. `path`: the lock file, whose lock is the lease.
  init(_ path: String, _ loop: DigestLoop, report: @escaping @Sendable (any Error) -> Void) {
    self.path = path
    self.loop = loop
    self.report = report
  }

  /// Whether this process holds the lease.
  var isTaken: Bool { state.withLock { $0.lock != nil } }

  /// Takes the lease if it is free and starts to digest. False if another process holds it.
  @discardableResult
  func take() throws -> Bool {
    try state.withLock { state in
      guard !state.hasEnded, state.lock == nil, let lock = try FolderLock(path: path) else { return state.lock != nil }
      try loop.start()
      state.lock = lock
      return true
    }
  }

  /// Tries to take the lease every half second, until it succeeds or `release` is called.
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

  /// Passes a committed batch to the digest. Without the lease, the batch stays in the journal.
  func offer(_ batch: JournalBatch) {
    if isTaken { loop.offer(batch) }
  }

  /// Digests the remaining records if this process holds the lease, calls `ending`, and releases the lease. Stops after
  /// `seconds`, and the next process continues; nil for no limit.
  func release(within seconds: Double? = nil, ending: () -> Void = {}) {
    let lock = state.withLock { state in
      state.hasEnded = true
      return state.lock
    }
    let hasEnded = lock == nil || loop.stop(within: seconds)
    ending()
    // A digest in a transaction keeps the lease until the process, and with it the transaction, ends.
    if hasEnded { withExtendedLifetime(lock) { state.withLock { $0.lock = nil } } }
  }
}
