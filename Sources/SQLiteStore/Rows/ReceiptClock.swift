public import Core
import GRDB
import Storage
import Synchronization

/// The table `clock`: the newest plausible time of receipt.
struct ReceiptClock {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func newest() throws -> Timestamp? {
    try Int64.fetchOne(database.cachedStatement(sql: "SELECT newest FROM clock")).map(Timestamp.init(milliseconds:))
  }

  func set(_ time: Timestamp) throws {
    try database.cachedStatement(
      sql: "INSERT INTO clock VALUES (1, ?) ON CONFLICT DO UPDATE SET newest = excluded.newest"
    ).execute(arguments: [time.milliseconds])
  }
}

extension SQLiteStore {
  /// The newest plausible time of receipt; nil for a store that has received nothing.
  public func newestReceipt() throws -> Timestamp? { try read { try ReceiptClock($0).newest() } }

  /// Confirms that the clock is right, and corrects times of receipt after `now`, from when the clock was wrong.
  public func confirmClock(_ now: Timestamp) throws {
    try write { database, registry in
      let latest = now.milliseconds + PlausibleReceipts.slack
      let known = try ReceiptClock(database).newest()
      // Only records advance it, so that a server without records does not look like one that was off.
      if let known, known.milliseconds > latest || !PlausibleReceipts.after(known).contains(now) {
        try ReceiptClock(database).set(now)
      }
      try database.execute(
        sql: "UPDATE app_state SET last_received = ? WHERE last_received > ?",
        arguments: [now.milliseconds, latest])
      let day = now.day().number
      for table in ["session", "stream"] {
        for app in try AppID.fetchAll(database, sql: "SELECT DISTINCT app FROM row_count") {
          try database.execute(
            sql: "UPDATE \(table) SET received = ?2 WHERE app = ?1 AND received > ?2 + 1", arguments: [app, day])
        }
      }
      // The registry's clock is its newest receipt.
      if registry.clock > latest { registry.clock = now.milliseconds }
    }
  }
}

extension SQLiteJournal {
  /// Corrects times of receipt after `now`, from when the clock was wrong. They determine when records are purged and
  /// idempotency keys are deleted.
  public func confirmClock(_ now: Timestamp) throws {
    let latest = now.milliseconds + PlausibleReceipts.slack
    try writer.write { database in
      try database.execute(
        sql: "UPDATE batch SET received = ? WHERE received > ?", arguments: [now.milliseconds, latest])
    }
    for app in try reader.read({ try ReceiptTable($0).apps() }) {
      try writer.write { database in
        try database.execute(
          sql: "UPDATE receipt SET received = ? WHERE app = ? AND received > ?",
          arguments: [now.milliseconds, app, latest])
      }
    }
  }
}

/// The last receipts of a batch's apps, without those that are implausibly far ahead.
struct LastReceipts {
  let plausible: PlausibleReceipts
  private var times: [AppID: Int64] = [:]

  init(_ database: Database) throws { plausible = PlausibleReceipts.after(try ReceiptClock(database).newest()) }

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
    if try newest > ReceiptClock(database).newest()?.milliseconds ?? .min {
      try ReceiptClock(database).set(Timestamp(milliseconds: newest))
    }
  }
}
