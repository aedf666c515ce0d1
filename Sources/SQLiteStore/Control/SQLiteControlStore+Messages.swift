public import Core
internal import GRDB
public import Storage

/// Messages about incidents and their delivery on each channel.
extension SQLiteControlStore {
  /// The messages with a channel on which they are neither delivered nor abandoned, oldest first.
  public func pendingMessages() throws -> [AlertMessage] {
    try database.read { db in
      let sql = "SELECT id, body FROM alert_message WHERE settled IS NULL ORDER BY number"
      return try Row.fetchAll(db, sql: sql).map { row in
        var message = try Self.decoded(row.value("body"), AlertMessage.self)
        message.deliveries = try Self.deliveries(of: row.value("id"), in: db)
        return message
      }
    }
  }

  private static func deliveries(of message: String, in db: Database) throws -> [String: DeliveryState] {
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM alert_delivery WHERE message = ?", arguments: [message])
    return try rows.reduce(into: [:]) { found, row in
      found[try row.value("channel")] = try delivery(row)
    }
  }

  private static func delivery(_ row: Row) throws -> DeliveryState {
    DeliveryState(
      delivered: try row.time("delivered"), attempts: try row.value("attempts"), failure: try row.value("failure"),
      failed: try row.time("failed"), isRefused: try row.value("refused"))
  }

  /// The delivery state of the last message about each incident on each channel, among the newest 500 messages.
  public func lastDeliveries() throws -> [String: [String: DeliveryState]] {
    try database.read { db in
      // The newest message comes last, so that its state remains.
      let sql = """
        SELECT json_extract(item.value, '$.incident') AS incident, delivery.*
        FROM (SELECT id, number, body FROM alert_message WHERE json_valid(body) ORDER BY number DESC LIMIT 500) AS message,
          json_each(message.body, '$.items') AS item
        JOIN alert_delivery AS delivery ON delivery.message = message.id
        WHERE json_extract(item.value, '$.incident') IS NOT NULL ORDER BY message.number
        """
      return try Row.fetchAll(db, sql: sql).reduce(into: [:]) { found, row in
        let (incident, channel): (String, String) = (try row.value("incident"), try row.value("channel"))
        found[incident, default: [:]][channel] = try Self.delivery(row)
      }
    }
  }

  /// The number of messages since `start` that a channel failed to deliver and has not delivered later, by channel.
  public func undeliveredMessages(since start: Timestamp) throws -> [String: Int] {
    try database.read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT channel, count(*) FROM alert_delivery WHERE delivered IS NULL AND failed >= ? GROUP BY channel
          """, arguments: [start.milliseconds])
      return try rows.reduce(into: [:]) { found, row in found[try row.value(0)] = try row.value(1) }
    }
  }

  /// The time for which a claimed message is reserved for one sender, in milliseconds.
  private static let lease: Int64 = 60_000

  /// Claims a message for sending. Returns false if it was delivered, or claimed less than a minute ago.
  public func claim(_ message: String, channel: String, at now: Timestamp) throws -> Bool {
    try database.write { db in
      // A claim far in the future was made before the clock was set back. One of the next minute was made by a process
      // that started later and was faster.
      try db.execute(
        sql: """
          INSERT INTO alert_delivery (message, channel, claimed, attempts) VALUES (:message, :channel, :now, 0)
          ON CONFLICT DO UPDATE SET claimed = :now
          WHERE delivered IS NULL AND (claimed IS NULL OR claimed <= :now - :lease OR claimed > :now + :lease)
          """, arguments: ["message": message, "channel": channel, "now": now.milliseconds, "lease": Self.lease])
      return db.changesCount > 0
    }
  }

  /// Records that the channel accepted the message.
  public func markDelivered(_ message: String, channel: String, at now: Timestamp) throws {
    try database.write { db in
      try db.execute(
        sql: """
          INSERT INTO alert_delivery (message, channel, delivered, attempts) VALUES (:message, :channel, :now, 0)
          ON CONFLICT DO UPDATE SET delivered = :now, claimed = NULL
          """, arguments: ["message": message, "channel": channel, "now": now.milliseconds])
    }
  }

  /// Stores a failed attempt and releases the claim. `isFinal` means that there are no further attempts.
  public func markFailed(
    _ message: String, channel: String, reason: String, isFinal: Bool, at now: Timestamp
  ) throws {
    try database.write { db in
      try db.execute(
        sql: """
          INSERT INTO alert_delivery (message, channel, attempts, failure, failed, refused)
          VALUES (:message, :channel, 1, :reason, :now, :refused)
          ON CONFLICT DO UPDATE
          SET attempts = attempts + 1, failure = :reason, failed = :now, refused = :refused, claimed = NULL
          """,
        arguments: [
          "message": message, "channel": channel, "reason": reason, "now": now.milliseconds, "refused": isFinal,
        ])
    }
  }

  /// Marks a message as complete on all channels.
  public func settle(_ message: String, at now: Timestamp) throws {
    try database.write { db in
      try db.execute(
        sql: "UPDATE alert_message SET settled = coalesce(settled, ?) WHERE id = ?",
        arguments: [now.milliseconds, message])
    }
  }
}
