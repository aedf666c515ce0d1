import Core
import Ingest
import SQLiteStore
import Storage
import Synchronization

/// Assigns diagnostics to groups after diagnostics or symbols have arrived.
final class RegroupingTask {
  private let pipeline: Pipeline
  /// Whether diagnostics may have arrived. Initially true, because some may have arrived before the server started.
  private let news = Flag()
  private var generation: Int?
  private var ownBinaries: [AppID: Set<String>] = [:]
  private var retries = Retries()

  init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
    pipeline.store.observe { [news] _ in news.value.store(true, ordering: .relaxed) }
  }

  func look() throws {
    let now = pipeline.symbols.generation
    let isRetry = generation != now || retries.areDue
    // Another process may have changed an app's own binaries.
    let own = (try? pipeline.ownBinaries()) ?? ownBinaries
    guard news.value.exchange(false, ordering: .relaxed) || isRetry || own != ownBinaries else { return }
    let done = try pipeline.regroup(retrying: isRetry)
    if generation != now { retries = Retries() }
    retries.note(done, wasRetry: isRetry)
    generation = now
    ownBinaries = own
  }

  /// When to retry failed symbol lookups: after ten seconds at first, with doubling pauses of at most ten minutes.
  private struct Retries {
    private var pause = 0
    private var due: ContinuousClock.Instant?

    var areDue: Bool { due.map { $0 <= .now } ?? false }

    mutating func note(_ done: Regrouping, wasRetry: Bool) {
      if done.unanswered == 0 {
        // A run without retries has no result for signatures that failed earlier.
        if wasRetry { self = Retries() }
      } else if wasRetry || due == nil {
        pause = min(max(10, pause * 2), 600)
        due = .now + .seconds(pause)
      }
    }
  }

  private final class Flag: Sendable {
    let value = Atomic(true)
  }
}
