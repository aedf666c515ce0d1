import Dispatch
import Logging
import SQLiteStore
import Storage
import Synchronization
import Telemetry

/// Brings groups up to date while a server runs: soon after diagnostics came in, and when somebody uploaded symbols.
final class Regrouper {
  private let timer: any DispatchSourceTimer

  init(_ pipeline: Pipeline, _ logger: Logger) {
    // Nothing is known of what happened before the server was started.
    let news = Box()
    pipeline.store.observe { _ in news.value.store(true, ordering: .relaxed) }
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.groups", qos: .background))
    timer.schedule(deadline: .now() + 1, repeating: 5)
    var generation: Int?
    timer.setEventHandler {
      let now = pipeline.symbols.generation
      guard news.value.exchange(false, ordering: .relaxed) || generation != now else { return }
      do {
        try pipeline.regroup()
        generation = now
      } catch { logger.error("Groups could not be brought up to date: \(error)") }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }

  private final class Box: Sendable {
    let value = Atomic(true)
  }
}
