import Foundation
import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The file control.db")
struct ControlFileTests {
  @Test("control.db is durable, uses a write-ahead log, and only its owner can read it and its journal")
  func file() throws {
    try withFolder { folder in
      let previous = umask(0)
      defer { umask(previous) }
      let store = try SQLiteControlStore(folder: folder)
      try store.saveUser(User(name: "anna", passwordHash: "x", created: day(1)))
      for name in ["control.db", "control.db-wal", "control.db-shm"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
      }
      try store.database.inDatabase { (db: Database) throws in
        // 2 is FULL: https://www.sqlite.org/pragma.html#pragma_synchronous
        #expect(try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2)
        #expect(try String.fetchOne(db, sql: "PRAGMA journal_mode") == "wal")
        #expect(try Int.fetchOne(db, sql: "PRAGMA foreign_keys") == 1)
      }
    }
  }

  @Test("an existing control.db that others may read is made private")
  func existing() throws {
    try withFolder { folder in
      _ = FileManager.default.createFile(
        atPath: folder + "/control.db", contents: nil, attributes: [.posixPermissions: 0o644])
      _ = try SQLiteControlStore(folder: folder)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/control.db")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test("a damaged row of control.db is an error and does not end the process")
  func damaged() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      try store.database.write { db in
        // The number is too large for the ids of apps and tokens.
        try db.execute(
          sql: """
            INSERT INTO app (id, bundle_id, created, time_zone, keeps_exception_text) VALUES (1 << 40, 'a.b', 0, 'UTC', 0);
            INSERT INTO read_token (id, name, hash, created) VALUES (1 << 40, 'a', 'b', 0);
            INSERT INTO silence (app, starts, ends, reason, created) VALUES (1 << 40, 0, 9, 'a', 0);
            INSERT INTO rows_written (day, app, rows) VALUES (1, 1 << 40, 5);
            """)
      }
      #expect(throws: StoreError.self) { try store.apps() }
      #expect(throws: StoreError.self) { try store.app(bundleID: "a.b") }
      #expect(throws: StoreError.self) { try store.tokens() }
      #expect(throws: StoreError.self) { try store.silences(at: day(0)) }
      #expect(throws: StoreError.self) { try store.written(on: CalendarDay(number: 1)) }
    }
  }

  @Test("changes of one connection are visible to another and change the version, but logins do not")
  func twoConnections() throws {
    try withFolder { folder in
      let server = try SQLiteControlStore(folder: folder)
      let command = try SQLiteControlStore(folder: folder)
      var version = try server.version()
      func expectChange(_ isExpected: Bool, _ what: String, _ body: () throws -> Void) throws {
        try body()
        let next = try server.version()
        #expect((next > version) == isExpected, "\(what)")
        version = next
      }
      try expectChange(true, "add") {
        _ = try command.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(0))
      }
      let app = try #require(try server.app(bundleID: "a.b"))
      #expect(app.keys.map(\.key) == [key("a")])
      try expectChange(true, "rotate") {
        _ = try command.rotateKey(of: app.id, to: key("b"), at: day(1), overlapDays: 14)
      }
      #expect(try server.app(bundleID: "a.b")?.keys.map(\.key) == [key("b"), key("a")])
      try expectChange(true, "settings") { try command.changeSettings(of: app.id, to: .init(keepsExceptionText: true)) }
      try expectChange(true, "user") {
        try command.saveUser(User(name: "anna", passwordHash: "x", created: day(0)))
      }
      try expectChange(true, "token") { _ = try command.addToken(name: "t", hash: "aa", at: day(0)) }
      try expectChange(false, "login") {
        try server.openLogin(LoginSession(idHash: "h", user: "anna", expires: day(9)), at: day(0))
      }
      try expectChange(false, "use of a token") { try server.markUsed(token: 1, at: day(1)) }
      try expectChange(true, "remove") { try command.removeApp(app.id) }
      #expect(try server.apps().isEmpty)
    }
  }

  @Test("another process sees and makes changes in control.db")
  func otherProcess() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(0))
      let version = try store.version()
      let file = folder + "/control.db"
      #expect(try SQLFile.run("SELECT key FROM ingest_key WHERE app = \(app.id)", in: file) == [key("a")])
      try SQLFile.run(
        "INSERT INTO ingest_key (key, app, created) VALUES ('\(key("b"))', \(app.id), 1); UPDATE control_version SET version = version + 1",
        in: file)
      #expect(try store.version() == version + 1)
      #expect(try store.apps().first?.keys.count == 2)
    }
  }

  @Test("processes that open a new folder at the same time and add apps all succeed")
  func race() throws {
    try withFolder { folder in
      let failures = Failures()
      DispatchQueue.concurrentPerform(iterations: 8) { worker in
        do {
          let store = try SQLiteControlStore(folder: folder)
          let text = String(repeating: "0", count: 31) + String(worker)
          _ = try store.addApp(bundleID: "a.b\(worker)", settings: .init(), key: text, at: day(0))
        } catch {
          failures.add("\(error)")
        }
      }
      #expect(failures.all.isEmpty)
      let apps = try SQLiteControlStore(folder: folder).apps()
      #expect(apps.count == 8)
    }
  }

  @Test("a missing folder, or a file that is not a database, is an error and not a trap")
  func unusable() throws {
    #expect(throws: ControlError.self) { try SQLiteControlStore(folder: "/nonexistent/folder") }
    try withFolder { folder in
      try Data(repeating: 7, count: 4096).write(to: URL(fileURLWithPath: folder + "/control.db"))
      #expect(throws: (any Error).self) { try SQLiteControlStore(folder: folder) }
    }
  }

}

private final class Failures: @unchecked Sendable {
  // Invariant: `values` is only touched while `lock` is held.
  private let lock = NSLock()
  private var values: [String] = []

  var all: [String] { lock.withLock { values } }

  func add(_ value: String) { lock.withLock { values.append(value) } }
}
