import Foundation
import GRDB
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The control store: roles, tokens' scopes, logins")
struct RoleStoreTests {
  @Test("roles read back as they were saved, and are deleted with their app and user")
  func roles() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let shop = try store.addApp(bundleID: "a.shop", settings: .init(), key: key("a"), at: day(0)).id
      let news = try store.addApp(bundleID: "a.news", settings: .init(), key: key("b"), at: day(0)).id
      var ana = User(
        name: "ana", passwordHash: nil, identity: "id",
        roles: RoleGrants(everywhere: .reader, apps: [shop: .editor, news: .admin]),
        hasRolesOfProvider: true, created: day(1))
      try store.saveUser(ana)
      #expect(
        try store.user(named: "ANA") == ana && store.user(identity: "id") == ana && store.user(identity: "x") == nil)
      ana.roles = RoleGrants(apps: [news: .reader])
      try store.saveUser(ana)
      #expect(try store.users() == [ana])
      try store.removeApp(news)
      #expect(try store.user(named: "ana")?.roles == RoleGrants())
      // No app ever gets the number again, so that no role comes back.
      #expect(try store.addApp(bundleID: "a.news", settings: .init(), key: key("c"), at: day(0)).id > news)
      #expect(throws: (any Error).self) {
        try store.saveUser(User(name: "ben", passwordHash: "x", identity: "id", created: day(1)))
      }
    }
  }

  @Test("the last administrator of all apps cannot be removed without force, by any change")
  func lastAdmin() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let admin = RoleGrants(everywhere: .admin)
      var ana = User(name: "ana", passwordHash: "x", roles: admin, created: day(0))
      try store.saveUser(ana)
      try store.saveUser(User(name: "ben", passwordHash: "x", created: day(0)))
      ana.roles = RoleGrants(everywhere: .editor)
      #expect(throws: ControlError.lastAdmin("ana")) { try store.saveUser(ana) }
      #expect(throws: ControlError.lastAdmin("ANA")) { try store.removeUser(named: "ANA") }
      #expect(try store.user(named: "ana")?.roles == admin, "the change was undone")
      try store.saveUser(User(name: "ben", passwordHash: "x", roles: admin, created: day(0)))
      try store.saveUser(ana)
      #expect(throws: ControlError.lastAdmin("ben")) { try store.removeUser(named: "ben") }
      try store.removeUser(named: "ben", force: true)
      // Without any there is none to keep.
      try store.removeUser(named: "ana")
    }
  }

  @Test("a change of roles keeps logins, and a change of password or identity ends them")
  func logins() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      var ana = User(name: "ana", passwordHash: nil, created: day(0))
      try store.saveUser(ana)
      func login() throws { try store.openLogin(LoginSession(idHash: "h", user: "ana", expires: day(9)), at: day(1)) }
      func isIn() throws -> Bool { try store.login(idHash: "h", at: day(2)) != nil }
      try login()
      ana.roles = RoleGrants(everywhere: .reader)
      ana.identity = "first"
      try store.saveUser(ana)
      #expect(try isIn())
      ana.identity = "second"
      try store.saveUser(ana)
      #expect(try !isIn())
      try login()
      ana.passwordHash = "x"
      try store.saveUser(ana)
      #expect(try !isIn())
    }
  }

  @Test("logins are listed with their use, can be ended singly or together, and are at most a hundred per user")
  func list() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      for name in ["ana", "ben"] { try store.saveUser(User(name: name, passwordHash: "x", created: day(0))) }
      for number in 0..<120 {
        let login = LoginSession(
          idHash: "\(String(format: "%012d", number))rest", user: "ana", expires: day(9), created: day(1),
          lastUsed: Timestamp(milliseconds: day(1).milliseconds + Int64(number)), client: "Browser\n\(number)")
        try store.openLogin(login, at: day(1))
      }
      try store.openLogin(LoginSession(idHash: "other", user: "ben", expires: day(9)), at: day(1))
      let all = try store.logins(of: "ana", at: day(2))
      #expect(all.count == 100 && !all.contains { $0.id == "000000000019" } && all.contains { $0.id == "000000000020" })
      #expect(all.allSatisfy { !$0.client.contains("\n") })
      #expect(try store.logins(of: nil, at: day(2)).count == 101 && store.logins(of: nil, at: day(9)).isEmpty)
      let one = try #require(all.first)
      try store.markUsed(login: one, at: Timestamp(milliseconds: day(1).milliseconds + 1000))
      #expect(try store.login(idHash: one.idHash, at: day(2))?.lastUsed == one.lastUsed, "within five minutes")
      try store.markUsed(login: one, at: day(2))
      #expect(try store.login(idHash: one.idHash, at: day(2))?.lastUsed == day(2))
      #expect(try store.endLogins(of: "ben", id: one.id) == 0, "of another user")
      #expect(try store.endLogins(of: "ANA", id: one.id) == 1)
      #expect(try store.endLogins(of: "ana", id: nil) == 99)
      #expect(try store.logins(of: nil, at: day(2)).map(\.user) == ["ben"])
    }
  }

  @Test("tokens keep scope, apps and end; a token for deleted apps is for none, never for all")
  func tokens() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let shop = try store.addApp(bundleID: "a.shop", settings: .init(), key: key("a"), at: day(0)).id
      let token = try store.addToken(
        AccessToken(
          id: 0, name: "t", hash: "h", rights: [.read, .edit], apps: [shop], created: day(1), expires: day(9)))
      #expect(try store.tokens() == [token] && token.id > 0)
      try store.removeApp(shop)
      #expect(try store.tokens().map(\.apps) == [[]])
    }
  }

  @Test("a folder of an older version has administrators and tokens with their old rights")
  func migration() throws {
    try withFolder { folder in
      let steps = MigrationFiles.control.prefix { $0.name != "v007_roles" }
      let file = try DatabaseQueue(path: folder + "/control.db")
      try Migrator.migrate(file, steps: Array(steps))
      try file.write { db in
        try db.execute(
          sql: """
            INSERT INTO user (name, password_hash, created) VALUES ('ana', 'x', 0), ('ben', 'y', 0);
            INSERT INTO login (id_hash, user, expires) VALUES ('h', 'ana', 9999999999999);
            INSERT INTO read_token (name, hash, created, uploads) VALUES ('r', 'a', 0, 0), ('u', 'b', 0, 1);
            """)
      }
      try file.close()
      let store = try SQLiteControlStore(folder: folder, migrates: true)
      #expect(try store.users().map(\.roles) == Array(repeating: RoleGrants(everywhere: .admin), count: 2))
      #expect(
        try store.tokens().map(\.rights) == [.read, .upload]
          && store.tokens().allSatisfy { $0.apps == nil && $0.expires == nil })
      #expect(try store.login(idHash: "h", at: day(1))?.user == "ana")
    }
  }
}

@Suite("The control store: the audit log")
struct AuditLogTests {
  @Test("the audit log has every decision with its author, in the decision's transaction")
  func decisions() throws {
    try withFolder { folder in
      let opened = try SQLiteControlStore(folder: folder, clock: { day(5) })
      let store = opened.acting(as: Actor(.user, "ana"))
      let app = try store.addApp(bundleID: "a.shop", settings: .init(), key: key("a"), at: day(0)).id
      try store.changeSettings(of: app, to: AppSettings(timeZone: "Europe/Berlin"))
      _ = try store.rotateKey(of: app, to: key("b"), at: day(1), overlapDays: 3)
      try store.decide(
        GroupDecision(.resolved(release: "4.2.1"), changed: day(1)), of: app, group: 0x0123_4567_89ab_cdef)
      try store.decide(GroupDecision(.ignored, changed: day(1)), of: app, group: 1)
      try store.decide(GroupDecision(.open, changed: day(1)), of: app, group: 1)
      let silence = try store.addSilence(
        Silence(app: app, rule: "stale", starts: day(1), ends: day(2), reason: "the server moves", created: day(0)))
      try store.removeSilence(silence.id)
      _ = try store.addToken(AccessToken(id: 0, name: "ci", hash: "h", rights: .upload, created: day(0)))
      try store.removeToken(named: "ci")
      var ben = User(name: "ben", passwordHash: "secret hash", created: day(0))
      try store.saveUser(ben)
      ben.roles = RoleGrants(apps: [app: .editor])
      try store.saveUser(ben)
      ben.passwordHash = "another hash"
      try store.saveUser(ben)
      try store.openLogin(LoginSession(idHash: "h", user: "ben", expires: day(9)), at: day(1))
      _ = try store.endLogins(of: "ben", id: nil)
      try store.removeUser(named: "ben")
      try store.removeApp(app)
      let entries = try opened.auditEntries(AuditFilter(limit: 100)).reversed()
      #expect(
        entries.map(\.event.action) == [
          "app.add", "app.settings", "key.rotate", "group.resolve", "group.ignore", "group.reopen", "silence.add",
          "silence.remove", "token.add", "token.remove", "user.add", "user.role", "user.password", "user.logout",
          "user.remove", "app.remove",
        ])
      #expect(entries.allSatisfy { $0.actor == Actor(.user, "ana") && $0.time == day(5) })
      let text = entries.map { "\($0.event)" }.joined()
      #expect(!text.contains("hash") && !text.contains(key("a")) && !text.contains(key("b")))
      let events = Dictionary(entries.map { ($0.event.action, $0.event) }) { first, _ in first }
      #expect(events["group.resolve"]?.app == "a.shop" && events["group.resolve"]?.detail == "in 4.2.1")
      #expect(
        events["user.role"]?.detail == "editor on a.shop" && events["app.settings"]?.detail == "time zone Europe/Berlin"
      )
      #expect(events["silence.add"]?.detail.contains("the server moves") == true)
      // What fails leaves no entry.
      let count = entries.count
      #expect(throws: ControlError.self) { try store.removeToken(named: "none") }
      #expect(throws: ControlError.self) { try store.removeUser(named: "none") }
      #expect(throws: ControlError.self) { try store.removeSilence(99) }
      #expect(try opened.endLogins(of: "ben", id: nil) == 0)
      #expect(try opened.auditEntries(AuditFilter(limit: 100)).count == count)
    }
  }

  @Test("the audit log names the machine's user if no other is known, and cleans its texts")
  func actors() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      try store.record(AuditEvent("x.y", subject: "a\u{1B}[31m\nb", detail: String(repeating: "d", count: 5000)))
      let entry = try #require(try store.auditEntries(AuditFilter()).first)
      #expect(entry.actor.kind == .command && !entry.actor.name.isEmpty)
      #expect(entry.event.subject == "a [31m b" && entry.event.detail.utf8.count == 1000)
    }
  }

  @Test("the audit log can be read by app, author, action, time and place")
  func filters() throws {
    try withFolder { folder in
      let day = Clock()
      let store = try SQLiteControlStore(folder: folder, clock: { day.now })
      for (index, actor) in ["ana", "ben", "ana", "ci"].enumerated() {
        day.number = Int64(index)
        let action = ["user.add", "user_x", "user.role", "group.ignore"][index]
        try store.acting(as: Actor(.user, actor)).record(
          AuditEvent(action, app: index > 1 ? "a.shop" : nil, subject: "\(index)"))
      }
      func subjects(_ filter: AuditFilter) throws -> [String] { try store.auditEntries(filter).map(\.event.subject) }
      #expect(try subjects(AuditFilter()) == ["3", "2", "1", "0"])
      #expect(try subjects(AuditFilter(actor: "ANA")) == ["2", "0"])
      #expect(try subjects(AuditFilter(action: "user")) == ["2", "0"])
      #expect(try subjects(AuditFilter(action: "user.role")) == ["2"])
      #expect(try subjects(AuditFilter(action: "%")) == [])
      #expect(try subjects(AuditFilter(app: "a.shop", actor: "ci")) == ["3"])
      #expect(try subjects(AuditFilter(since: Timestamp(milliseconds: 2 * 86_400_000))) == ["3", "2"])
      let last = try #require(try store.auditEntries(AuditFilter(limit: 2)).last)
      #expect(try subjects(AuditFilter(before: last.id)) == ["1", "0"])
    }
  }

  @Test("the audit log keeps entries for 400 days")
  func days() throws {
    try withFolder { folder in
      let day = Clock()
      let store = try SQLiteControlStore(folder: folder, clock: { day.now })
      try store.record(AuditEvent("first", subject: ""))
      day.number = 400
      try store.record(AuditEvent("second", subject: ""))
      #expect(try store.auditEntries(AuditFilter()).map(\.event.action) == ["second", "first"])
      day.number = 401
      try store.record(AuditEvent("third", subject: ""))
      #expect(try store.auditEntries(AuditFilter()).map(\.event.action) == ["third", "second"])
    }
  }

  private func add(_ count: Int, of actor: String, _ store: SQLiteControlStore, action: String = "silence.add") throws {
    try store.database.write { db in
      try db.execute(
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
          INSERT INTO audit (time, actor_kind, actor, action, subject, detail) SELECT 0, 'token', ?, ?, i, '' FROM n
          """, arguments: [count, actor, action])
    }
  }

  @Test("an editor can evict only their own decisions, and none of an administrator")
  func flood() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder, clock: { day(0) })
      try store.acting(as: Actor(.user, "root")).record(AuditEvent("user.role", subject: "ben", detail: "admin"))
      try store.acting(as: Actor(.user, "ana")).record(AuditEvent("group.ignore", subject: "1"))
      try add(150_000, of: "ci", store)
      try store.acting(as: Actor(.token, "ci")).record(AuditEvent("group.note", subject: "last"))
      func entries(_ actor: String) throws -> [AuditEntry] {
        try store.auditEntries(AuditFilter(actor: actor, limit: 20_000))
      }
      #expect(try entries("root").map(\.event.action) == ["user.role"])
      #expect(try entries("ana").map(\.event.action) == ["group.ignore"])
      let own = try entries("ci")
      #expect(own.count == 10_000 && own.first?.event.subject == "last")
    }
  }

  @Test("many editors share 100,000 decisions, and those with few lose none to those with many")
  func shares() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder, clock: { day(0) })
      try add(3, of: "quiet", store)
      for number in 0..<15 { try add(9000, of: "ci\(number)", store) }
      try add(200_000, of: "root", store, action: "user.role")
      for _ in 0..<100 { try store.acting(as: Actor(.token, "ci0")).record(AuditEvent("group.note", subject: "")) }
      func count(_ condition: String) throws -> Int {
        try store.database.read {
          try Int.fetchOne($0, sql: "SELECT count(*) FROM audit WHERE \(condition)") ?? 0
        }
      }
      #expect(try count("actor = 'quiet'") == 3 && count("actor = 'root'") == 200_000)
      #expect(try (99_900...100_100).contains(count("action <> 'user.role'")))
      #expect(try count("actor = 'ci7'") >= 6600)
    }
  }

  @Test("silences of an app, decisions and notes about its groups, and tokens are bounded")
  func numbers() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder, clock: { day(200) })
      let shop = try store.addApp(bundleID: "a.shop", settings: .init(), key: key("a"), at: day(0)).id
      let news = try store.addApp(bundleID: "a.news", settings: .init(), key: key("b"), at: day(0)).id
      func fill(_ count: Int, _ insertion: String) throws {
        try store.database.write { db in
          let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) "
          try db.execute(sql: numbers + insertion)
        }
      }
      let (past, future) = (day(50).milliseconds, day(300).milliseconds)
      let silences = "INSERT INTO silence (app, starts, ends, reason, created) SELECT \(shop), 0,"
      try fill(999, "\(silences) \(future), 'x', 0 FROM n")
      try fill(500, "\(silences) \(past), 'x', 0 FROM n")
      func silence(_ app: AppID?) -> Silence {
        Silence(app: app, starts: day(200), ends: day(210), reason: "why", created: day(200))
      }
      _ = try store.addSilence(silence(shop))
      #expect(throws: ControlError.self) { try store.addSilence(silence(shop)) }
      _ = try store.addSilence(silence(news))
      _ = try store.addSilence(silence(nil))
      let left = try store.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM silence") }
      #expect(left == 1002, "those that ended long ago are gone")
      try fill(
        20_000, "INSERT INTO group_state (app, fingerprint, state, changed) SELECT \(shop), i, 'ignored', 0 FROM n")
      #expect(throws: ControlError.self) {
        try store.decide(GroupDecision(.ignored, changed: day(1)), of: shop, group: 99_999)
      }
      try store.decide(GroupDecision(.resolved(release: "1"), changed: day(1)), of: shop, group: 7)
      try store.decide(GroupDecision(.open, changed: day(1)), of: shop, group: 8)
      try store.decide(GroupDecision(.ignored, changed: day(1)), of: shop, group: 99_999)
      try fill(
        1000, "INSERT INTO read_token (name, hash, created, rights, every_app) SELECT 't' || i, i, 0, 1, 1 FROM n")
      #expect(throws: ControlError.self) {
        try store.addToken(AccessToken(id: 0, name: "more", hash: "h", rights: .read, created: day(0)))
      }
    }
  }

  /// A clock that a test sets, in days.
  private final class Clock: @unchecked Sendable {
    // Invariant: used by the thread of one test.
    var number: Int64 = 0
    var now: Timestamp { Timestamp(milliseconds: number * 86_400_000) }
  }
}
