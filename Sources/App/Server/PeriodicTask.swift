import Core
import Dispatch
import Logging
import Synchronization

/// Work that is repeated while a server runs, on a queue of its own, so that no task holds up another.
///
/// All are listed in `PeriodicTasks`. What waits for data instead of time has a thread of its own that the data wake:
/// `JournalWriter`, `DigestLoop`, `FactFeed`, `NodeRelay`. `AccessRefresher` of `Server` keeps its own time.
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
  ///   - name: the end of its queue's name, which debuggers show.
  ///   - first: seconds from `start` to the first run; nil for one interval.
  ///   - interval: seconds between two runs.
  ///   - clock: the time by which an error is old enough to be logged again.
  ///   - work: one run, which makes its attempts by the task that it is handed.
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

  /// Prevents further runs. One that has begun ends later.
  func stop() { timer?.cancel() }

  /// Runs once, now.
  func run() { work(self) }

  /// Does a part of the work. An error goes to the log behind the words of `failure`: when it is another one than the
  /// last time, and again after a minute. It ends only this part of this run.
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
