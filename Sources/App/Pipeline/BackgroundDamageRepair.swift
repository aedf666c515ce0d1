import Dispatch
import Logging
import SQLiteStore
import Synchronization

/// Quarantines damaged rows after a read has met one. One search runs at a time, while reads continue.
final class BackgroundDamageRepair: Sendable {
  private let queue = DispatchQueue(label: "plumb.repair", qos: .utility)
  private let isRunning = Atomic(false)
  private let logger: Logger
  private let changed: @Sendable () -> Void

  /// `changed` is called after each search, because cached pages may be outdated.
  init(_ logger: Logger, changed: @escaping @Sendable () -> Void) {
    self.logger = logger
    self.changed = changed
  }

  /// Starts a search, unless one runs. Never blocks.
  func start(_ store: SQLiteStore?) {
    guard let store, !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return }
    queue.async { [self] in
      do {
        try store.repair()
      } catch {
        logger.error("Damaged rows could not be quarantined: \(error)")
      }
      isRunning.store(false, ordering: .releasing)
      changed()
    }
  }
}
