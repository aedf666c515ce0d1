import Synchronization

/// The growth of the journal since the last purge.
final class JournalPurgeTrigger: Sendable {
  /// The growth in bytes after which the journal is purged.
  static let step = 64 << 20

  private let state = Mutex((bytes: 0, isFull: false))

  func add(_ bytes: Int) { state.withLock { $0.bytes = min(1 << 60, $0.bytes) + bytes } }

  /// Whether to purge, because the journal has grown by a step or the disk has become full.
  func isDue(isFull: Bool) -> Bool {
    state.withLock { state in
      let isDue = state.bytes >= Self.step || (isFull && !state.isFull)
      state.isFull = isFull
      if isDue { state.bytes = 0 }
      return isDue
    }
  }
}
