public import Core
internal import Foundation
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// The alert state of an app, or of the whole installation.
  public func alertState(of app: AppID) throws -> AlertState {
    try database.read { db in
      var state = AlertState()
      if let row = try Row.fetchOne(db, sql: "SELECT * FROM alert_state WHERE app = ?", arguments: [app]) {
        state.version = try row.value("version")
        state.digestedThrough = try row.value("digested_through")
        state.rules = try row.value("rules")
      }
      let sql = "SELECT * FROM incident WHERE app = ? AND closed IS NULL ORDER BY opened, id"
      state.open = try Row.fetchAll(db, sql: sql, arguments: [app]).map(Self.incident)
      return state
    }
  }

  /// Stores changed incidents and the messages about them, unless another process has stored a decision in the
  /// meantime.
  public func decide(
    _ incidents: [Incident], _ messages: [AlertMessage], _ state: AlertState, of app: AppID
  ) throws -> Bool {
    try database.writeWithoutTransaction { db in
      var isCurrent = false
      // Immediate: the second of two concurrent decisions waits and then finds another version.
      try db.inTransaction(.immediate) {
        let sql = "SELECT version FROM alert_state WHERE app = ?"
        isCurrent = try Int64.fetchOne(db, sql: sql, arguments: [app]) ?? 0 == state.version
        guard isCurrent else { return .rollback }
        try db.execute(
          sql: "INSERT OR REPLACE INTO alert_state (app, version, digested_through, rules) VALUES (?, ?, ?, ?)",
          arguments: [app, state.version + 1, state.digestedThrough, state.rules])
        for incident in incidents { try Self.write(incident, to: db) }
        for message in messages {
          try db.execute(
            sql: "INSERT INTO alert_message (id, created, body) VALUES (?, ?, ?)",
            arguments: [message.identifier, message.time.milliseconds, try Self.json(message)])
        }
        return .commit
      }
      return isCurrent
    }
  }

  /// Open incidents and those closed after an instant, newest first.
  public func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident] {
    try database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM incident WHERE (closed IS NULL OR closed > ?) AND (? IS NULL OR app = ?)
          ORDER BY opened DESC, id
          """, arguments: [closedAfter.milliseconds, app, app]
      ).map(Self.incident)
    }
  }

  /// The number of open incidents of each app that has any, by bundle identifier.
  public func openIncidentCounts() throws -> [String: Int] {
    try database.read { db in
      let sql = """
        SELECT app.bundle_id AS bundle_id, count(*) AS incidents FROM incident JOIN app ON app.id = incident.app
        WHERE incident.closed IS NULL GROUP BY app.id
        """
      return try Row.fetchAll(db, sql: sql).reduce(into: [:]) {
        $0[try $1.value("bundle_id")] = try $1.value("incidents")
      }
    }
  }

  /// The incident with this id; nil when there is none.
  public func incident(_ id: String) throws -> Incident? {
    try database.read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM incident WHERE id = ?", arguments: [id]).map(Self.incident)
    }
  }

  /// Deletes incidents closed before `closedBefore`, silences that ended before it, and messages created before
  /// `toldBefore`.
  public func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws {
    try database.write { db in
      let closed: StatementArguments = [closedBefore.milliseconds]
      try db.execute(sql: "DELETE FROM incident WHERE closed < ?", arguments: closed)
      try db.execute(sql: "DELETE FROM silence WHERE ends < ?", arguments: closed)
      try db.execute(sql: "DELETE FROM alert_message WHERE created < ?", arguments: [toldBefore.milliseconds])
    }
  }

  /// Deletes the alert state, incidents and silences of an app that is being removed.
  static func forgetAlerts(of app: AppID, in db: Database) throws {
    for table in ["alert_state", "incident", "silence"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE app = ?", arguments: [app])
    }
  }

  private static func incident(_ row: Row) throws -> Incident {
    let id: String = try row.value("id")
    guard let state = Incident.State(rawValue: try row.value("state")),
      let key = try? decoded(row.value("key"), IncidentKey.self),
      let breaches = try? decoded(row.value("breaches"), [Breach].self), !breaches.isEmpty
    else { throw ControlError.invalid("The incident \(id) in control.db is damaged.") }
    return Incident(
      id: id, app: try row.value("app"), key: key, state: state, title: try row.value("title"),
      opened: try row.time("opened"), closed: try row.time("closed"), closedBecause: try row.value("closed_because"),
      evaluated: try row.time("evaluated"), breaches: breaches)
  }

  private static func write(_ incident: Incident, to db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO incident (id, app, key, state, title, opened, closed, closed_because, evaluated, breaches)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET state = excluded.state, title = excluded.title, opened = excluded.opened,
          closed = excluded.closed, closed_because = excluded.closed_because, evaluated = excluded.evaluated,
          breaches = excluded.breaches
        """,
      arguments: [
        incident.id, incident.app, try json(incident.key), incident.state.rawValue, incident.title,
        incident.opened.milliseconds, incident.closed?.milliseconds, incident.closedBecause,
        incident.evaluated.milliseconds, try json(incident.breaches),
      ])
  }

  /// Canonical JSON: equal values give equal texts.
  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decoded<Value: Decodable>(_ json: String, _: Value.Type) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(json.utf8))
  }
}

// Messages that wait for delivery.
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
      // A claim with a time in the future was made before the clock was set back.
      try db.execute(
        sql: """
          INSERT INTO alert_delivery (message, channel, claimed, attempts) VALUES (:message, :channel, :now, 0)
          ON CONFLICT DO UPDATE SET claimed = :now
          WHERE delivered IS NULL AND (claimed IS NULL OR claimed <= :now - :lease OR claimed > :now)
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
