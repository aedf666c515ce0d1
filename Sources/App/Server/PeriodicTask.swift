import Core
import Dispatch
import Logging
import Synchronization

/// Work that repeats while a server runs. Each task has a separate queue, so that no task delays another.
///
/// `PeriodicTasks` lists all tasks. Work that is triggered by data instead of time has separate threads:
/// `JournalWriter`, `DigestLoop`, `FactFeed`, `NodeRelay`. `AccessCacheRefresher` in `Server` has its own timer.
final class PeriodicTask {
  private let name: String
  private let first: Double
  private let interval: Double
  private let qos: DispatchQoS
  private let leeway: DispatchTimeInterval
  private let clock: () -> Timestamp
  private let logger: Logger
  private let work: (PeriodicTask) -> Void
  private var timer: (any DispatchSourceTimer)?
  private let failures = Mutex<[String: (error: String, at: Timestamp)]>([:])

  /// - Parameters:
  ///   - name: the suffix of the queue's name, for debuggers.
  ///   - first: seconds from `start` to the first run; nil for one interval.
  ///   - interval: seconds between two runs.
  ///   - clock: the clock that decides when an error is logged again.
  ///   - work: one run. It calls `attempt` on the task that it receives.
  init(
    _ name: String, after first: Double? = nil, every interval: Double, _ qos: DispatchQoS = .utility,
    leeway: DispatchTimeInterval = .nanoseconds(0), clock: @escaping () -> Timestamp, _ logger: Logger,
    work: @escaping (PeriodicTask) -> Void
  ) {
    (self.name, self.first, self.interval, self.qos, self.leeway) = (name, first ?? interval, interval, qos, leeway)
    (self.clock, self.logger, self.work) = (clock, logger, work)
  }

  func start() {
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.\(name)", qos: qos))
    timer.schedule(deadline: .now() + first, repeating: interval, leeway: leeway)
    timer.setEventHandler { [weak self] in self?.run() }
    timer.resume()
    self.timer = timer
  }

  /// Prevents further runs. A run in progress continues to its end.
  func stop() { timer?.cancel() }

  /// Runs once, now.
  func run() { work(self) }

  /// Runs one part of the work. An error is logged after the text `failure`, unless the same error was logged within
  /// the last minute. The error ends only this part of this run.
  func attempt(_ failure: String, _ part: () throws -> Void) {
    do {
      try part()
      failures.withLock { $0[failure] = nil }
    } catch {
      let (text, now) = ("\(error)", clock())
      let isKnown = failures.withLock { failures in
        if let last = failures[failure], last.error == text, abs(now.milliseconds - last.at.milliseconds) < 60_000 {
          return true
        }
        failures[failure] = (text, now)
        return false
      }
      if !isKnown { logger.error("\(failure): \(text)") }
    }
  }
}
