internal import Core
internal import GRDB
public import Storage

extension SQLiteControlStore {
  /// Makes apps, keys and tokens equal to those of another installation, with the same ids of apps, in one transaction.
  /// For ingest nodes, whose primary has checked them.
  public func copy(apps: [App], tokens: [AccessToken]) throws {
    try change { db in
      try db.execute(sql: "DELETE FROM ingest_key")
      try db.execute(sql: "DELETE FROM read_token")
      // A bundle identifier may have another id than before.
      try db.execute(sql: "DELETE FROM app")
      for app in apps {
        try db.execute(
          sql: """
            INSERT INTO app (id, bundle_id, created, time_zone, keeps_exception_text, own_binaries, attribute)
            VALUES (?, ?, ?, ?, ?, '', ?)
            """,
          arguments: [
            app.id, app.bundleID, app.created.milliseconds, app.settings.timeZone, app.settings.keepsExceptionText,
            app.settings.attribute ?? "",
          ])
        for key in app.keys {
          try db.execute(
            sql: "INSERT INTO ingest_key (key, app, created, retires) VALUES (?, ?, ?, ?)",
            arguments: [key.key, app.id, key.created.milliseconds, key.retires?.milliseconds])
        }
      }
      for token in tokens {
        try db.execute(
          sql: "INSERT INTO read_token (name, hash, created, rights, every_app, expires) VALUES (?, ?, ?, ?, 1, ?)",
          arguments: [
            token.name, token.hash, token.created.milliseconds, token.rights.rawValue, token.expires?.milliseconds,
          ])
      }
    }
  }
}
