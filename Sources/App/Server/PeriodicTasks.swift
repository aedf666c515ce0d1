import Alerts
import Dispatch
import HTTP
import Logging
import Notifications
import SQLiteStore
import Storage
import Telemetry

/// A task that runs at intervals while a server runs, from its initialization until `stop`.
protocol PeriodicTask {
  func stop()
}

/// Applies retention while a server runs: a minute after the start, then every hour.
final class RetentionTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init(_ pipeline: Pipeline, _ health: ServerHealth, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.maintenance", qos: .background))
    timer.schedule(deadline: .now() + 60, repeating: 3600)
    timer.setEventHandler {
      do {
        if try pipeline.reviewClock() == nil { try pipeline.maintain(now: pipeline.clock.now()) }
      } catch {
        logger.error("Maintenance failed: \(error)")
      }
      do {
        try health.measure(now: pipeline.clock.now())
      } catch {
        logger.error("The folder cannot be measured: \(error)")
      }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}

/// Looks once a second whether the clock is right, which the log says when it changes; every five seconds also whether
/// another process has confirmed it.
final class ClockTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init(_ pipeline: Pipeline, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.clock", qos: .utility))
    timer.schedule(deadline: .now() + 1, repeating: 1)
    var (isDoubted, looks) = (false, 0)
    timer.setEventHandler {
      var doubt = pipeline.clock.doubt
      looks += 1
      // Also as soon as it is right, so that what was received meanwhile is corrected.
      if doubt != nil ? looks % 5 == 0 : isDoubted {
        do { doubt = try pipeline.reviewClock() } catch { logger.error("The clock cannot be compared: \(error)") }
      }
      if (doubt != nil) != isDoubted {
        isDoubted.toggle()
        if let doubt { logger.error("\(doubt)") } else { logger.notice("The clock is right again.") }
      }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}

/// Measures the room on the disk and what waits for the digest every second while a server runs, pauses what is given up
/// first, and purges the journal when it has grown.
final class SpaceTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init(_ watch: SpaceWatch, _ backlog: BacklogWatch, _ pipeline: Pipeline, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.space", qos: .utility))
    timer.schedule(deadline: .now(), repeating: 1)
    timer.setEventHandler {
      watch.look()
      backlog.look()
      pipeline.samples.pause(watch.level >= .short)
      do {
        try pipeline.purgeJournal(isFull: watch.level >= .none, now: pipeline.clock.now())
      } catch {
        logger.error("The journal could not be purged; the next maintenance tries it again: \(error)")
      }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}

/// Carries out requests to delete while a server runs: looks for them once a second.
final class ErasureTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init(_ pipeline: Pipeline, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.erasure", qos: .utility))
    timer.schedule(deadline: .now() + 1, repeating: 1)
    var failure: (text: String, at: Timestamp)?
    timer.setEventHandler {
      guard pipeline.isDigesting else { return }
      do {
        try pipeline.erasures.carryOut(clock: pipeline.clock.now)
        failure = nil
      } catch {
        // Tried again in a second; told again when it changes, or after a minute.
        let now = pipeline.clock.now()
        if let failure, failure.text == "\(error)", now.milliseconds - failure.at.milliseconds < 60_000 { return }
        failure = ("\(error)", now)
        logger.error("A deletion could not be carried out, and is tried again: \(error)")
      }
    }
    timer.resume()
  }

  func stop() { timer.cancel() }
}

/// Evaluates apps and delivers alerts at a fixed interval while a server runs.
final class AlertTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init(_ service: AlertService, every span: TimeSpan, _ clock: PlausibleClock, _ logger: Logger) {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.alerts", qos: .utility))
    let interval = DispatchTimeInterval.milliseconds(Int(span.milliseconds))
    timer.schedule(deadline: .now() + min(10, Double(span.milliseconds) / 1000), repeating: interval)
    timer.setEventHandler {
      guard clock.doubt == nil else { return }
      let now = clock.now()
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

/// Returns freed memory to the system while a server runs: looks once a second whether there is any to speak of.
final class MemoryTask: PeriodicTask {
  private let timer: any DispatchSourceTimer

  init() {
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.memory", qos: .utility))
    timer.schedule(deadline: .now() + 1, repeating: 1)
    var memory = FreeMemory()
    timer.setEventHandler { memory.returnIfGrown() }
    timer.resume()
  }

  func stop() { timer.cancel() }
}
