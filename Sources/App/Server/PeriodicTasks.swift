import Alerts
import Dispatch
import Logging
import Notifications
import Telemetry

/// A task that runs at intervals while a server runs, from its initialization until `stop`.
protocol PeriodicTask {
  func stop()
}

/// Applies retention while a server runs: a minute after the start, then every hour.
final class RetentionTask: PeriodicTask {
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

/// Evaluates apps and delivers alerts at a fixed interval while a server runs.
final class AlertTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init(_ service: AlertService, every span: TimeSpan, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.alerts", qos: .utility))
    let interval = DispatchTimeInterval.milliseconds(Int(span.milliseconds))
    timer.schedule(deadline: .now() + min(10, Double(span.milliseconds) / 1000), repeating: interval)
    timer.setEventHandler {
      let now = WallClock.now()
      service.evaluateAll(now: now) { logger.error("An app could not be judged: \($0)") }
      do {
        try service.print(on: "log", now: now) { logger.notice("\($0.title)") }
        try service.deliver(now: now) { logger.error("Channel \($0.channel): \($1)") }
      } catch {
        logger.error("Alerts cannot be told: \(error)")
      }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}
