import Core
import Foundation
import Storage

/// The time of receipt by which names are used, retired and counted.
extension NameRegistry {
  var today: Int { Timestamp(milliseconds: clock).day().number }

  /// The day of receipt for a change that is not caused by a record.
  var receivedDay: CalendarDay { CalendarDay(number: max(today, Int(Date().timeIntervalSince1970) / 86_400)) }

  /// Sets the clock to the batch's latest time of receipt.
  mutating func noteTime(of batch: DigestedBatch) {
    for cell in batch.cells { clock = max(clock, cell.received.milliseconds) }
    for session in batch.sessions { clock = max(clock, session.received.milliseconds) }
    for record in batch.accumulations { clock = max(clock, record.received.milliseconds) }
    for diagnostic in batch.diagnostics { clock = max(clock, diagnostic.received.milliseconds) }
    if clock == 0 { clock = batch.tallies.map(\.day.startUTC.milliseconds).max() ?? 0 }
  }
}
