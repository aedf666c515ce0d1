import Synchronization

/// The slices of rollups whose rows the latest flushes of this process changed. A page reads only their rows again on the
/// days that changed.
final class ChangedSlices: Sendable {
  /// One flush.
  struct Change {
    /// The version of rows before; nil if it is unknown.
    let previous: Int64?
    let version: Int64
    let slices: Set<Int64>
  }

  private struct State {
    /// The version from which all changes are known.
    var since = Int64.max
    var newest: Int64 = 0
    /// The version of the last change of each slice.
    var versions: [Int64: Int64] = [:]
  }

  private let state = Mutex(State())
  /// The maximum number of slices. If it is reached, all are forgotten.
  private let most: Int

  init(most: Int = 50_000) { self.most = most }

  /// Notes a flush after it was committed.
  func note(_ change: Change) {
    state.withLock { state in
      // Nothing is known of changes in between, by others.
      if change.previous != state.newest || state.versions.count + change.slices.count > most {
        state = State(since: change.previous ?? change.version)
      }
      state.newest = change.version
      guard change.slices.count <= most else { return state.since = change.version }
      for slice in change.slices { state.versions[slice] = change.version }
    }
  }

  /// Which of `slices` may have changed after a version, up to another one; nil if it is unknown.
  func changed(_ slices: some Sequence<Int64>, after version: Int64, through newest: Int64) -> Set<Int64>? {
    state.withLock { state in
      guard version >= state.since, newest <= state.newest else { return nil }
      return Set(slices.filter { state.versions[$0] ?? 0 > version })
    }
  }
}
