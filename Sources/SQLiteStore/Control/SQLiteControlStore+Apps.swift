public import Core
internal import Foundation
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// Every app with its keys, in the order in which they were added.
  public func apps() throws -> [App] {
    try database.read { db in
      let keys = Dictionary(grouping: try Self.keys(db, "1"), by: \.app)
      return try Row.fetchAll(db, sql: "SELECT * FROM app ORDER BY id").map { row in
        try Self.app(row, keys: keys[try row.value("id")] ?? [])
      }
    }
  }

  /// The app with this bundle identifier; nil when there is none.
  public func app(bundleID: String) throws -> App? {
    try database.read { try Self.app($0, "bundle_id = ?", [bundleID]) }
  }

  /// Adds an app with its first key, in one transaction.
  public func addApp(bundleID: String, settings: AppSettings, key: String, at now: Timestamp) throws -> App {
    guard App.isBundleID(bundleID) else {
      throw ControlError.invalid("\"\(bundleID)\" is not a bundle identifier such as com.example.shop.")
    }
    try Self.check(settings)
    return try change { db in
      guard try Self.app(db, "bundle_id = ?", [bundleID]) == nil else { throw ControlError.appExists(bundleID) }
      try db.execute(
        sql: """
          INSERT INTO app (bundle_id, created, time_zone, keeps_exception_text, own_binaries, title, ticket_url, attribute)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          bundleID, now.milliseconds, settings.timeZone, settings.keepsExceptionText,
          settings.ownBinaries.joined(separator: "\n"), settings.title ?? "", settings.ticketURL ?? "",
          Self.text(ofAttributes: settings.attributes),
        ])
      let id = AppID(truncatingIfNeeded: db.lastInsertedRowID)
      try Self.insert(key, app: id, at: now, in: db)
      try note(AuditEvent("app.add", app: bundleID, subject: bundleID), in: db)
      return try Self.require(id, in: db)
    }
  }

  /// Reserves app ids up to `largest`, so that a new app gets a higher one.
  public func reserveAppIDs(through largest: AppID) throws {
    try database.write { db in
      let known = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'app'")
      guard known ?? 0 < Int64(largest) else { return }
      try db.execute(
        sql: known == nil
          ? "INSERT INTO sqlite_sequence (seq, name) VALUES (?, 'app')"
          : "UPDATE sqlite_sequence SET seq = ? WHERE name = 'app'", arguments: [largest])
    }
  }

  /// Replaces an app's settings except its icon. Throws `ControlError.invalid` for an unknown time zone, an invalid
  /// binary name or an invalid title.
  public func changeSettings(of app: AppID, to settings: AppSettings) throws {
    try Self.check(settings)
    try change { db in
      let old = try Self.require(app, in: db)
      try note(
        AuditEvent(
          "app.settings", app: old.bundleID, subject: old.bundleID, detail: Self.difference(old.settings, settings)),
        in: db)
      try db.execute(
        sql: """
          UPDATE app SET time_zone = ?, keeps_exception_text = ?, own_binaries = ?, title = ?, ticket_url = ?,
            attribute = ?
          WHERE id = ?
          """,
        arguments: [
          settings.timeZone, settings.keepsExceptionText, settings.ownBinaries.joined(separator: "\n"),
          settings.title ?? "", settings.ticketURL ?? "", Self.text(ofAttributes: settings.attributes), app,
        ])
    }
  }

  /// Adds a key and sets the expiry of the others, in one transaction.
  public func rotateKey(of app: AppID, to key: String, at now: Timestamp, overlapDays: Int) throws -> App {
    guard (0...3650).contains(overlapDays) else {
      throw ControlError.invalid("Expected 0 to 3650 days of overlap, found \(overlapDays).")
    }
    let end = now.milliseconds + Int64(overlapDays) * 86_400_000
    return try change { db in
      let bundleID = try Self.require(app, in: db).bundleID
      try note(
        AuditEvent("key.rotate", app: bundleID, subject: bundleID, detail: "older keys expire in \(overlapDays) days"),
        in: db)
      try db.execute(
        sql: "UPDATE ingest_key SET retires = ? WHERE app = ? AND (retires IS NULL OR retires > ?)",
        arguments: [end, app, end])
      try Self.insert(key, app: app, at: now, in: db)
      return try Self.require(app, in: db)
    }
  }

  /// Removes the app, its keys, incidents and silences.
  public func removeApp(_ app: AppID) throws {
    try change { db in
      let bundleID = try Self.require(app, in: db).bundleID
      try note(AuditEvent("app.remove", app: bundleID, subject: bundleID), in: db)
      try db.execute(sql: "DELETE FROM app WHERE id = ?", arguments: [app])
      try Self.forgetAlerts(of: app, in: db)
    }
  }

  private static func insert(_ key: String, app: AppID, at now: Timestamp, in db: Database) throws {
    guard key.utf8.count == 32, key.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else {
      throw ControlError.invalid("\"\(key)\" is not a key: 32 lower-case hexadecimal digits.")
    }
    guard try Row.fetchOne(db, sql: "SELECT 1 FROM ingest_key WHERE key = ?", arguments: [key]) == nil else {
      throw ControlError.keyExists(key)
    }
    try db.execute(
      sql: "INSERT INTO ingest_key (key, app, created) VALUES (?, ?, ?)", arguments: [key, app, now.milliseconds])
  }

  /// The changed settings, for the audit log.
  private static func difference(_ old: AppSettings, _ new: AppSettings) -> String {
    var parts: [String] = []
    if old.timeZone != new.timeZone { parts.append("time zone \(new.timeZone)") }
    if old.keepsExceptionText != new.keepsExceptionText {
      parts.append("exception text: \(new.keepsExceptionText ? "keep" : "drop")")
    }
    if old.title != new.title { parts.append("title: \(new.title ?? "none")") }
    if old.ownBinaries != new.ownBinaries { parts.append("own binaries: \(new.ownBinaries.joined(separator: ", "))") }
    if old.ticketURL != new.ticketURL { parts.append("tickets: \(new.ticketURL ?? "none")") }
    if old.attributes != new.attributes {
      parts.append("attribute: \(new.attributes.isEmpty ? "none" : new.attributes.joined(separator: ", "))")
    }
    return parts.joined(separator: "; ")
  }

  private static func check(_ settings: AppSettings) throws {
    if let text = settings.ticketURL { _ = try TicketTemplate(text) }
    guard AppTimeZone(name: settings.timeZone) != nil else {
      throw ControlError.invalid("\"\(settings.timeZone)\" is not a time zone such as UTC or Europe/Berlin.")
    }
    guard settings.attributes.allSatisfy(AppAttribute.isName) else {
      throw ControlError.invalid(
        "An attribute name has 1 to \(AppAttribute.longestName) letters, digits, dots, hyphens and underscores, and begins with a letter."
      )
    }
    guard settings.attributes.count <= AppAttribute.mostOfApp,
      Set(settings.attributes).count == settings.attributes.count
    else {
      throw ControlError.invalid("An app has at most \(AppAttribute.mostOfApp) attributes with different names.")
    }
    guard settings.title.map(AppSettings.isTitle) ?? true else {
      throw ControlError.invalid(
        "A title has 1 to \(AppSettings.longestTitle) characters on one line, without leading or trailing spaces.")
    }
    guard settings.ownBinaries.count <= AppSettings.mostOwnBinaries,
      settings.ownBinaries.allSatisfy(AppSettings.isBinaryName)
    else {
      throw ControlError.invalid(
        "Own binaries: expected at most \(AppSettings.mostOwnBinaries) names such as Charts, without folders.")
    }
  }

  static func require(_ id: AppID, in db: Database) throws -> App {
    guard let found = try app(db, "id = ?", [id]) else { throw ControlError.noSuchApp("number \(id)") }
    return found
  }

  private static func app(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> App? {
    let find = try db.cachedStatement(sql: "SELECT * FROM app WHERE \(condition)")
    guard let row = try Row.fetchOne(find, arguments: arguments) else { return nil }
    return try app(row, keys: keys(db, "app = ?", [row.value("id", as: AppID.self)]))
  }

  private static func keys(
    _ db: Database, _ condition: String, _ arguments: StatementArguments = []
  ) throws -> [IngestKey] {
    let order = "retires IS NOT NULL, created DESC, retires DESC, key"
    let find = try db.cachedStatement(sql: "SELECT * FROM ingest_key WHERE \(condition) ORDER BY \(order)")
    return try Row.fetchAll(find, arguments: arguments).map(key)
  }

  private static func key(_ row: Row) throws -> IngestKey {
    IngestKey(
      key: try row.value("key"), app: try row.value("app"), created: try row.time("created"),
      retires: try row.time("retires"))
  }

  private static func app(_ row: Row, keys: [IngestKey]) throws -> App {
    /// The text of a column; nil if it is empty.
    func text(_ column: String) throws -> String? {
      let text = try row.value(column, as: String.self)
      return text.isEmpty ? nil : text
    }
    return App(
      id: try row.value("id"), bundleID: try row.value("bundle_id"), created: try row.time("created"),
      settings: AppSettings(
        timeZone: try row.value("time_zone"), keepsExceptionText: try row.value("keeps_exception_text"),
        ownBinaries: try row.value("own_binaries", as: String.self).split(separator: "\n").map(String.init),
        title: try text("title"), iconTag: try text("icon_tag"),
        ticketURL: try row.value("ticket_url", as: String?.self).flatMap { $0.isEmpty ? nil : $0 },
        attributes: try text("attribute")?.split(separator: ",").map(String.init) ?? []), keys: keys)
  }

  /// The names of an app's attributes in one column. No name has a comma, and one name is its own text.
  static func text(ofAttributes names: [String]) -> String { names.sorted().joined(separator: ",") }
}

extension SQLiteControlStore {
  /// Replaces an app's icon; nil removes it. Throws `ControlError.invalid` unless it is an `AppIcon`.
  public func changeIcon(of app: AppID, to png: [UInt8]?) throws {
    if let fault = png.flatMap(AppIcon.fault) { throw ControlError.invalid(fault) }
    let tag = png.map(Self.tag)
    try change { db in
      let bundleID = try Self.require(app, in: db).bundleID
      try note(
        AuditEvent(
          "app.settings", app: bundleID, subject: bundleID, detail: png == nil ? "icon: none" : "icon changed"),
        in: db)
      try db.execute(sql: "UPDATE app SET icon_tag = ? WHERE id = ?", arguments: [tag ?? "", app])
      try db.execute(sql: "DELETE FROM app_icon WHERE app = ?", arguments: [app])
      if let png { try db.execute(sql: "INSERT INTO app_icon (app, png) VALUES (?, ?)", arguments: [app, Data(png)]) }
    }
  }

  private static func tag(of png: [UInt8]) -> String {
    var hash = StableHash()
    for start in stride(from: 0, to: png.count, by: 8) {
      hash.add(png[start..<min(start + 8, png.count)].reduce(UInt64(png.count)) { $0 << 8 | UInt64($1) })
    }
    return String(hash.value, radix: 16)
  }

  /// The bytes of an app's icon, a PNG; nil without one.
  public func icon(of app: AppID) throws -> [UInt8]? {
    try database.read { db in
      try Row.fetchOne(db, sql: "SELECT png FROM app_icon WHERE app = ?", arguments: [app])
        .map { [UInt8](try $0.value("png", as: Data.self)) }
    }
  }
}
