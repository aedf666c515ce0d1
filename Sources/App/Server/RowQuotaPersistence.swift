import Dispatch
import Logging
import Server
import Storage
import Telemetry

/// Preserves what apps have written today across restarts: reads it at the start, and stores it once
/// a minute and at the end. A crash loses at most the last minute.
final class RowQuotaPersistence {
  let budget: RowQuota
  private let ledger: any RowLedger
  private let logger: Logger
  private let clock: PlausibleClock
  private let timer: any DispatchSourceTimer

  init(_ ledger: any RowLedger, _ budget: RowQuota, _ clock: PlausibleClock, _ logger: Logger) throws {
    let now = clock.now()
    self.budget = budget
    budget.restore(try ledger.written(on: now.day()), at: now)
    (self.ledger, self.logger, self.clock) = (ledger, logger, clock)
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.rows", qos: .background))
    timer.schedule(deadline: .now() + 60, repeating: 60)
    timer.setEventHandler { [budget] in Self.store(budget, ledger, clock, logger) }
    timer.resume()
  }

  func stop() {
    timer.cancel()
    Self.store(budget, ledger, clock, logger)
  }

  private static func store(_ budget: RowQuota, _ ledger: any RowLedger, _ clock: PlausibleClock, _ logger: Logger) {
    let now = clock.now()
    do {
      try ledger.remember(budget.used(at: now), on: now.day())
    } catch {
      logger.error("What apps have written today could not be remembered: \(error)")
    }
  }
}

extension RowQuota {
  /// The budgets that the settings give each app.
  convenience init(_ settings: Settings) throws {
    self.init(
      perDay: try settings.number("rows-per-day", default: 20_000_000), bytesPerDay: try settings.bytesPerDay())
  }
}
