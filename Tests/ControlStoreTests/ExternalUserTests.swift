import Dispatch
import Synchronization
import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage
@testable import Web

@Suite("Users of a provider")
struct ExternalUserTests {
  private let now = Timestamp(milliseconds: 1_800_000_000_000)

  private static func person(
    _ subject: String, _ name: String? = "ana@example.com", groups: [String] = ["staff"]
  ) -> IDTokenClaims {
    IDTokenClaims(subject: subject, name: name, verifiedAddress: name, groups: groups)
  }

  /// A store with an app, and how it admits people.
  private func withUsers(
    _ change: (inout ExternalUserRules) -> Void = { _ in },
    _ body: (SQLiteControlStore, (IDTokenClaims) throws -> ExternalUsers.Decision) throws -> Void
  ) throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      _ = try store.addApp(bundleID: "a.shop", settings: .init(), key: key("a"), at: day(0))
      var rules = ExternalUserRules()
      rules.groups = ["staff"]
      rules.roles = [
        .init(group: "boss", role: .admin), .init(group: "shop", role: .editor, apps: ["a.shop", "a.none"]),
      ]
      rules.defaultRole = .reader
      change(&rules)
      let users = ExternalUsers(control: store, rules: rules)
      try body(store) { try users.admit($0, issuer: "https://id.example.com", claim: "email", at: now) }
    }
  }

  private func roles(_ decision: ExternalUsers.Decision) -> RoleGrants? {
    if case .admitted(let user) = decision { user.roles } else { nil }
  }

  @Test("users of a provider get their roles from their groups at every login, until an administrator sets them")
  func roles() throws {
    try withUsers { store, admit in
      #expect(roles(try admit(Self.person("1"))) == RoleGrants(everywhere: .reader))
      #expect(roles(try admit(Self.person("1", groups: ["staff", "boss"]))) == RoleGrants(everywhere: .admin))
      // The settings decide even about the last administrator.
      let shop = try #require(try store.app(bundleID: "a.shop")).id
      #expect(roles(try admit(Self.person("1", groups: ["staff", "shop"]))) == RoleGrants(apps: [shop: .editor]))
      var user = try #require(try store.user(named: "ana@example.com"))
      #expect(user.roles == RoleGrants(apps: [shop: .editor]) && user.passwordHash == nil)
      user.roles = RoleGrants()
      user.hasRolesOfProvider = false
      try store.saveUser(user)
      #expect(roles(try admit(Self.person("1", groups: ["staff", "boss"]))) == nil, "kept out by hand")
      user.roles = RoleGrants(everywhere: .editor)
      try store.saveUser(user)
      #expect(roles(try admit(Self.person("1", groups: ["staff", "boss"]))) == RoleGrants(everywhere: .editor))
      let actions = try store.auditEntries(AuditFilter(actor: "ana@example.com")).map(\.event.action)
      #expect(actions == ["user.role", "user.role", "user.add"], "a sign-in that changes nothing notes nothing")
    }
  }

  @Test("users of a provider are recognised by the provider's id, whatever their name, and never by name alone")
  func identity() throws {
    try withUsers { store, admit in
      guard case .admitted(let first) = try admit(Self.person("1")) else {
        Issue.record("refused")
        return
      }
      #expect(first.name == "ana@example.com" && first.identity != nil)
      // Married, with another address: the same user.
      guard case .admitted(let renamed) = try admit(Self.person("1", "anna@example.com")) else {
        Issue.record("refused")
        return
      }
      #expect(renamed.name == "ana@example.com")
      // Another person got the address.
      #expect(roles(try admit(Self.person("2"))) == nil)
      #expect(try store.users().count == 1 && store.user(named: "ANA@example.com")?.identity == first.identity)
    }
  }

  @Test("users of a provider never replace a user with a password, unless an administrator allowed it")
  func takeover() throws {
    try withUsers { store, admit in
      var root = User(name: "Ana@example.com", passwordHash: "x", roles: RoleGrants(everywhere: .admin), created: now)
      try store.saveUser(root)
      #expect(roles(try admit(Self.person("1"))) == nil)
      #expect(try store.user(named: "ana@example.com") == root)
      root.passwordHash = nil
      try store.saveUser(root)
      #expect(roles(try admit(Self.person("1"))) == RoleGrants(everywhere: .admin))
      #expect(roles(try admit(Self.person("2"))) == nil, "it belongs to the first one now")
    }
  }

  @Test("users of a provider without a name, allowed group or role are refused and leave nothing behind")
  func refused() throws {
    try withUsers({ $0.defaultRole = nil }) { store, admit in
      for person in [
        Self.person("1", nil), Self.person("1", "a b@example.com"), Self.person("1", ""), Self.person("1", "a\u{0}b"),
        Self.person("1", String(repeating: "a", count: 65)), Self.person("1", groups: []),
        Self.person("1", groups: ["boss"]), Self.person("1"),
      ] {
        let decision = try admit(person)
        #expect(roles(decision) == nil, "\(person)")
      }
      let entries = try store.auditEntries(AuditFilter(action: "user"))
      let users = try store.users()
      #expect(users.isEmpty && entries.isEmpty)
    }
  }

  @Test("users of a proxy have the roles of the settings or those set by hand, and never a password")
  func proxy() throws {
    try withUsers { store, _ in
      var rules = ExternalUserRules()
      rules.allowsEveryone = true
      rules.roles = [.init(group: "boss", role: .admin)]
      let users = ExternalUsers(control: store, rules: rules)
      #expect(roles(try users.admit(name: "ana", groups: ["boss"])) == RoleGrants(everywhere: .admin))
      #expect(roles(try users.admit(name: "ana", groups: [])) == nil)
      #expect(try store.users().isEmpty)
      try store.saveUser(User(name: "ana", passwordHash: nil, roles: RoleGrants(everywhere: .reader), created: now))
      #expect(roles(try users.admit(name: "ana", groups: ["boss"])) == RoleGrants(everywhere: .reader))
      try store.saveUser(User(name: "root", passwordHash: "x", roles: RoleGrants(everywhere: .admin), created: now))
      #expect(roles(try users.admit(name: "ROOT", groups: ["boss"])) == nil)
    }
  }

  @Test("two people with one name who first log in at the same time do not become one user")
  func race() throws {
    try withUsers { store, _ in
      var rules = ExternalUserRules()
      (rules.allowsEveryone, rules.defaultRole) = (true, .reader)
      let users = ExternalUsers(control: store, rules: rules)
      for round in 0..<20 {
        let name = "ana\(round)@example.com"
        let decisions = Mutex<[ExternalUsers.Decision]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { number in
          // Two people, each in two windows.
          let person = Self.person("\(round)-\(number % 2)", name)
          let decision = try? users.admit(person, issuer: "https://id.example.com", claim: "email", at: now)
          decisions.withLock { $0 += [decision].compactMap { $0 } }
        }
        let admitted = decisions.withLock { $0.compactMap { if case .admitted(let user) = $0 { user } else { nil } } }
        #expect(decisions.withLock { $0.count } == 4 && admitted.count == 2, "one of the two, in both windows")
        #expect(Set(admitted.map(\.identity)).count == 1)
        #expect(try store.user(named: name)?.identity == admitted.first?.identity)
      }
      let known = try store.user(named: "ana0@example.com")
      let other = User(name: "ana0@example.com", passwordHash: nil, created: now)
      #expect(throws: ControlError.userChanged("ana0@example.com")) {
        try store.saveUser(other, replacing: nil, force: true)
      }
      #expect(try store.user(named: "ana0@example.com") == known)
    }
  }
}
