import Dispatch
import Logging
import Server
import Storage
import Telemetry

/// Carries what apps have written today over a restart: read at the start, written once a minute and at the end. A crash
/// forgets a minute.
final class RowKeeper {
  let budget: RowBudget
  private let ledger: any RowLedger
  private let logger: Logger
  private let timer: any DispatchSourceTimer

  init(_ ledger: any RowLedger, perDay: Int, _ logger: Logger) throws {
    let now = Clock.now()
    budget = RowBudget(perDay: perDay)
    budget.restore(try ledger.rowsWritten(on: now.day()), at: now)
    (self.ledger, self.logger) = (ledger, logger)
    timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "plumb.rows", qos: .background))
    timer.schedule(deadline: .now() + 60, repeating: 60)
    timer.setEventHandler { [budget] in Self.remember(budget, ledger, logger) }
    timer.resume()
  }

  func stop() {
    timer.cancel()
    Self.remember(budget, ledger, logger)
  }

  private static func remember(_ budget: RowBudget, _ ledger: any RowLedger, _ logger: Logger) {
    let now = Clock.now()
    do {
      try ledger.rememberRows(budget.used(at: now), on: now.day())
    } catch {
      logger.error("What apps have written today could not be remembered: \(error)")
    }
  }
}
