import Aggregation
import Dispatch
import SQLiteStore
import Storage
import Synchronization

/// This process's place at the digest of a folder, which only one process may hold.
///
/// Who comes while another process digests (`plumb import` of many files) goes on without, and takes the place when it
/// is free: records wait in the journal meanwhile.
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

  /// Takes the place if it is free and starts to digest; false when another process holds it.
  @discardableResult
  func take() throws -> Bool {
    try state.withLock { state in
      guard !state.hasEnded, state.lock == nil, let lock = try FolderLock(path: path) else { return state.lock != nil }
      try loop.start()
      state.lock = lock
      return true
    }
  }

  /// Tries again every half second until the place is taken.
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

  /// Hands over a batch that was just committed. Without the place it stays in the journal.
  func offer(_ batch: JournalBatch) {
    if isTaken { loop.offer(batch) }
  }

  /// Digests all of it if this process is the one that does, and gives the place back. After `seconds` the rest is left to
  /// whoever takes the place next.
  func leave(within seconds: Double? = nil) {
    let lock = state.withLock { state in
      state.hasEnded = true
      return state.lock
    }
    guard let lock else { return }
    loop.stop(within: seconds)
    withExtendedLifetime(lock) { state.withLock { $0.lock = nil } }
  }
}
