import Alerts
import Dispatch
import Logging
import Notifications
import Telemetry

/// Looks at the apps from time to time while a server runs: what cron does with `plumb check`.
final class AlertTimer {
  private let timer: any DispatchSourceTimer

  init(_ desk: AlertService, every span: TimeSpan, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.alerts", qos: .utility))
    let interval = DispatchTimeInterval.milliseconds(Int(span.milliseconds))
    timer.schedule(deadline: .now() + min(10, Double(span.milliseconds) / 1000), repeating: interval)
    timer.setEventHandler {
      let now = Clock.now()
      desk.lookAtAll(now: now) { logger.error("An app could not be judged: \($0)") }
      do {
        try desk.speak(on: "log", now: now) { logger.notice("\($0.title)") }
        try desk.deliver(now: now) { logger.error("Channel \($0.channel): \($1)") }
      } catch {
        logger.error("Alerts cannot be told: \(error)")
      }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}
