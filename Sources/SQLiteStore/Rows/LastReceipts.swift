import Core
import GRDB
import Storage

/// The last receipts of a batch's apps, without those that are implausibly far ahead.
struct LastReceipts {
  let plausible: PlausibleReceipts
  private var times: [AppID: Int64] = [:]

  init(_ database: Database) throws { plausible = PlausibleReceipts.after(try ClockTable(database).newest()) }

  mutating func note(_ app: AppID, _ received: Timestamp) {
    guard plausible.bounded(received) == received else { return }
    times[app] = max(times[app] ?? 0, received.milliseconds)
  }

  func write(to database: Database) throws {
    for (app, time) in times {
      try database.execute(
        sql: """
          INSERT INTO app_state VALUES (?, ?) ON CONFLICT DO UPDATE
          SET last_received = max(last_received, excluded.last_received)
          """, arguments: [app, time])
    }
    guard let newest = times.values.max() else { return }
    if try newest > ClockTable(database).newest()?.milliseconds ?? .min {
      try ClockTable(database).set(Timestamp(milliseconds: newest))
    }
  }
}
