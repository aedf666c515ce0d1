import Dispatch
import Logging
import Telemetry

/// Applies retention while a server runs: a minute after the start, then every hour.
final class Maintenance {
  private let timer: any DispatchSourceTimer

  init(_ pipeline: Pipeline, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.maintenance", qos: .background))
    timer.schedule(deadline: .now() + 60, repeating: 3600)
    timer.setEventHandler {
      do { try pipeline.maintain(now: WallClock.now()) } catch { logger.error("Maintenance failed: \(error)") }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}
