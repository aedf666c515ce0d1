import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The control store: users, logins, tokens")
struct ControlUserTests {
  @Test("user names are unique ignoring case, and users keep the day they were added")
  func users() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      try store.saveUser(User(name: "anna", passwordHash: "one", created: day(1)))
      try store.saveUser(User(name: "ben@example.com", passwordHash: "two", created: day(2)))
      try store.saveUser(User(name: "Anna", passwordHash: "three", created: day(3)))
      #expect(try store.users().map(\.name) == ["anna", "ben@example.com"])
      #expect(try store.user(named: "ANNA") == User(name: "anna", passwordHash: "three", created: day(1)))
      #expect(try store.user(named: "nobody") == nil)
      try store.removeUser(named: "Anna")
      #expect(try store.users().map(\.name) == ["ben@example.com"])
      #expect(throws: ControlError.noSuchUser("Anna")) { try store.removeUser(named: "Anna") }
      for name in ["", "a b", "<script>", "é", String(repeating: "x", count: 65)] {
        #expect(throws: ControlError.self) {
          try store.saveUser(User(name: name, passwordHash: "x", created: day(1)))
        }
      }
    }
  }

  @Test("a login ends when it expires, is closed, or its user is removed or gets another password")
  func logins() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let anna = User(name: "anna", passwordHash: "one", created: day(1))
      let login = LoginSession(idHash: "h1", user: "anna", expires: day(10))
      try store.saveUser(anna)
      try store.openLogin(login, at: day(1))
      #expect(try store.login(idHash: "h1", at: day(9)) == login)
      #expect(try store.login(idHash: "h1", at: day(10)) == nil)
      #expect(try store.login(idHash: "h2", at: day(9)) == nil)

      try store.closeLogin(idHash: "h1")
      #expect(try store.login(idHash: "h1", at: day(9)) == nil)

      try store.openLogin(login, at: day(1))
      try store.saveUser(User(name: "ANNA", passwordHash: "two", created: day(2)))
      #expect(try store.login(idHash: "h1", at: day(9)) == nil)

      try store.openLogin(login, at: day(1))
      try store.removeUser(named: "anna")
      #expect(try store.login(idHash: "h1", at: day(9)) == nil)
      #expect(throws: ControlError.noSuchUser("anna")) { try store.openLogin(login, at: day(1)) }
    }
  }

  @Test("expired logins are deleted at the next login")
  func expiry() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      try store.saveUser(User(name: "anna", passwordHash: "one", created: day(1)))
      try store.openLogin(LoginSession(idHash: "old", user: "anna", expires: day(2)), at: day(1))
      try store.openLogin(LoginSession(idHash: "new", user: "anna", expires: day(9)), at: day(3))
      #expect(try store.login(idHash: "old", at: day(1)) == nil)
      #expect(try store.login(idHash: "new", at: day(3)) != nil)
    }
  }

  @Test("tokens record their last use to the minute")
  func tokens() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let token = try store.addToken(name: "grafana", hash: "aa", at: day(1))
      #expect(try store.tokens() == [token])
      #expect(throws: ControlError.tokenExists("grafana")) {
        try store.addToken(name: "grafana", hash: "bb", at: day(1))
      }
      try store.markUsed(token: token.id, at: day(2))
      try store.markUsed(token: token.id, at: Timestamp(milliseconds: day(2).milliseconds + 59_999))
      #expect(try store.tokens().first?.lastUsed == day(2))
      try store.markUsed(token: token.id, at: Timestamp(milliseconds: day(2).milliseconds + 60_000))
      #expect(try store.tokens().first?.lastUsed == Timestamp(milliseconds: day(2).milliseconds + 60_000))
      try store.markUsed(token: token.id, at: day(1))
      #expect(try store.tokens().first?.lastUsed == Timestamp(milliseconds: day(2).milliseconds + 60_000))
      try store.removeToken(named: "grafana")
      #expect(throws: ControlError.noSuchToken("grafana")) { try store.removeToken(named: "grafana") }
    }
  }
}
