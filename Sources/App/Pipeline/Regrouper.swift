import Dispatch
import Issues
import Logging
import SQLiteStore
import Storage
import Synchronization
import Telemetry

/// Assigns diagnostics to groups while a server runs: within seconds after diagnostics or symbols arrive.
final class Regrouper: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init(_ pipeline: Pipeline, _ logger: Logger) {
    // True at first: diagnostics may have arrived before the server was started.
    let news = Flag()
    pipeline.store.observe { _ in news.value.store(true, ordering: .relaxed) }
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.groups", qos: .background))
    timer.schedule(deadline: .now() + 1, repeating: 5)
    var generation: Int?
    var ownBinaries: [AppID: Set<String>] = [:]
    var retries = Retries()
    timer.setEventHandler {
      let now = pipeline.symbols.generation
      let isRetry = generation != now || retries.areDue
      // Another process may have changed the binaries declared as an app's own.
      let own = (try? pipeline.ownBinaries()) ?? ownBinaries
      guard news.value.exchange(false, ordering: .relaxed) || isRetry || own != ownBinaries else { return }
      do {
        let done = try pipeline.regroup(retrying: isRetry)
        if generation != now { retries = Retries() }
        retries.note(done, wasRetry: isRetry)
        generation = now
        ownBinaries = own
      } catch { logger.error("Groups could not be brought up to date: \(error)") }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }

  /// When to retry lookups that the symbolizer could not do: after ten seconds at first, with doubling pauses of at
  /// most ten minutes.
  private struct Retries {
    private var pause = 0
    private var due: ContinuousClock.Instant?

    var areDue: Bool { due.map { $0 <= .now } ?? false }

    mutating func note(_ done: Regrouping, wasRetry: Bool) {
      if done.unanswered == 0 {
        // A run without retries has no result for the signatures that failed earlier.
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
