import Testing

@testable import Core
@testable import Storage
@testable import Web

@Suite("The binding of a login to a browser")
struct SignInTests {
  private let now = Timestamp(milliseconds: 1_800_000_000_000)
  private let hash = KeyedIDHash(secret: Array(repeating: 1, count: 32))
  private func cookie(_ hash: KeyedIDHash) -> SignInCookie {
    SignInCookie(hash: hash, like: SessionCookie(publicURL: "https://plumb.example.com"))
  }

  @Test("the login cookie is valid for ten minutes, for its own state, in the browser that began the login")
  func roundTrip() throws {
    let cookie = cookie(hash)
    let signIn = cookie.begin(next: "/apps/a?from=2026-11-01")
    let setting = cookie.setting(signIn, at: now)
    let value = try #require(setting.split(separator: ";").first.map(String.init))
    #expect(setting.hasPrefix("__Host-plumb-sign-in="))
    #expect(setting.hasSuffix("; Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure"))
    #expect(cookie.signIn(in: value, state: signIn.state, at: now) == signIn)
    #expect(cookie.signIn(in: "a=b; \(value); c=d", state: signIn.state, at: now) == signIn)
    let last = Timestamp(milliseconds: now.milliseconds + 599_999)
    #expect(cookie.signIn(in: value, state: signIn.state, at: last) == signIn)
    let late = Timestamp(milliseconds: now.milliseconds + 600_000)
    #expect(cookie.signIn(in: value, state: signIn.state, at: late) == nil)
    #expect(cookie.signIn(in: value, state: cookie.begin(next: "/").state, at: now) == nil)
    #expect(cookie.signIn(in: nil, state: signIn.state, at: now) == nil)
    #expect(cookie.signIn(in: value, state: "", at: now) == nil)
    let other = self.cookie(KeyedIDHash(secret: Array(repeating: 2, count: 32)))
    #expect(other.signIn(in: value, state: signIn.state, at: now) == nil)
    // Neither the nonce nor the verifier is in the cookie, and both differ from sign-in to sign-in.
    #expect(!setting.contains(signIn.nonce) && !setting.contains(signIn.verifier) && signIn.nonce != signIn.verifier)
    #expect(cookie.begin(next: "/").verifier != signIn.verifier)
  }

  @Test("a login cookie with any letter changed is refused")
  func tampered() throws {
    let cookie = cookie(hash)
    let signIn = cookie.begin(next: "/a")
    let value = try #require(cookie.setting(signIn, at: now).split(separator: ";").first.map(String.init))
    let start = "__Host-plumb-sign-in=".utf8.count
    for index in start..<value.utf8.count {
      var bytes = Array(value.utf8)
      bytes[index] = bytes[index] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
      #expect(
        cookie.signIn(in: String(decoding: bytes, as: UTF8.self), state: signIn.state, at: now) == nil, "\(index)")
    }
  }

  @Test("a login redirects only to paths of this server")
  func paths() {
    for path in ["/", "/apps/com.example.shop", "/apps/a?from=2026-11-01&os=iOS%2018", "/alerts"] {
      #expect(RedirectPath.of(path) == path)
    }
    for path in [
      "//evil.example", "/\\evil.example", "\\/evil.example", "https://evil.example", "evil.example", "", " /", "/a b",
      "/\tevil", "/a\r\nSet-Cookie: x=y", "/ä", "javascript:alert(1)", "/login", "/login?next=/a", "/logout",
      "/" + String(repeating: "a", count: 1000), "/\u{0}",
    ] {
      #expect(RedirectPath.of(path) == "/", "\(path)")
    }
    #expect(RedirectPath.of(nil) == "/")
  }
}

@Suite("Users of a provider or proxy")
struct ExternalRulesTests {
  @Test("users of a provider or proxy are admitted by group or verified address, ignoring the address's case")
  func allowed() {
    var rules = ExternalUserRules()
    rules.groups = ["staff"]
    rules.addresses = ["ana@example.com", "@plumb.example"]
    #expect(rules.allows(address: nil, groups: ["x", "staff"]) && !rules.allows(address: nil, groups: ["Staff", ""]))
    #expect(
      rules.allows(address: "Ana@Example.com", groups: []) && rules.allows(address: "x@PLUMB.example", groups: []))
    for address in [
      "ben@example.com", "x@evil.plumb.example", "plumb.example", "@plumb.example.evil", "", "ana@example.co",
    ] {
      #expect(!rules.allows(address: address, groups: []), "\(address)")
    }
  }

  @Test(
    "users of a provider or proxy get the highest role of their groups on the apps that it covers, or else the default")
  func roles() {
    var rules = ExternalUserRules()
    rules.roles = [
      .init(group: "ios", role: .reader), .init(group: "shop", role: .editor, apps: ["com.shop", "com.gone"]),
      .init(group: "boss", role: .admin, apps: ["com.shop"]), .init(group: "ios", role: .editor, apps: ["com.news"]),
    ]
    let ids: [String: AppID] = ["com.shop": 1, "com.news": 2]
    func roles(_ groups: [String]) -> RoleGrants { rules.roles(groups: groups) { ids[$0] } }
    #expect(roles(["ios"]) == RoleGrants(everywhere: .reader, apps: [2: .editor]))
    #expect(roles(["shop"]) == RoleGrants(apps: [1: .editor]))
    #expect(roles(["boss", "shop"]) == RoleGrants(apps: [1: .admin]))
    #expect(roles(["other"]).isEmpty)
    rules.defaultRole = .reader
    #expect(roles([]) == RoleGrants(everywhere: .reader) && roles(["shop"]) == RoleGrants(apps: [1: .editor]))
  }

  @Test("headers of a proxy name exactly one user, no user, or are ambiguous")
  func proxy() {
    var proxy = ProxyLogin(rules: ExternalUserRules())
    proxy.groupsHeader = "X-Groups"
    func read(_ headers: [(String, String)], others: Bool = false) -> ProxyLogin.Answer {
      proxy.read(headers.map { (name: $0.0, value: $0.1) }, isThroughOthers: others)
    }
    #expect(read([]) == .absent && read([("X-Forwarded-User", " ")]) == .absent)
    #expect(read([("x-forwarded-USER", " ana ")]) == .person(name: "ana", groups: []))
    #expect(
      read([("X-Forwarded-User", "ana"), ("X-Groups", "a, b c,,d")]) == .person(name: "ana", groups: ["a", "b c", "d"]))
    for headers in [
      [("X-Forwarded-User", "ana"), ("X-Forwarded-User", "ana")], [("X-Forwarded-User", "ana, boss")],
      [("X-Forwarded-User", "ana"), ("X-Groups", "a"), ("X-Groups", "admin")], [("X-Forwarded-User", "a\u{0}b")],
      [("X-Forwarded-User", String(repeating: "a", count: 65))],
    ] {
      guard case .ambiguous = read(headers) else {
        Issue.record("\(headers)")
        continue
      }
    }
    guard case .ambiguous = read([("X-Forwarded-User", "ana")], others: true) else {
      Issue.record("another proxy")
      return
    }
  }
}

@Suite("Permissions")
struct PermissionTests {
  private let now = Timestamp(milliseconds: 1000)

  @Test("a user has the higher of the role for all apps and the role for the app, and no global right from one app")
  func users() {
    let permission = Permission(RoleGrants(everywhere: .reader, apps: [1: .editor, 2: .admin]))
    #expect(permission.allows(.read, on: 9) && !permission.allows(.edit, on: 9))
    #expect(permission.allows([.read, .edit], on: 1) && !permission.allows(.delete, on: 1))
    #expect(permission.allows(.delete, on: 2) && !permission.allows(.administer) && !permission.allows(.delete))
    let single = Permission(RoleGrants(apps: [1: .reader]))
    #expect(single.allows(.read, on: 1) && !single.allows(.read, on: 2) && !single.allows(.read) && !single.isEmpty)
    #expect(Permission(RoleGrants()).isEmpty && !Permission(RoleGrants()).allows(.read, on: 1))
    #expect(Permission(RoleGrants(everywhere: .admin)).allows([.read, .upload, .edit, .delete, .administer]))
  }

  @Test("a token has its rights on its apps until it expires, and none after its apps were deleted")
  func tokens() {
    func token(_ rights: AccessRights, _ apps: Set<AppID>?, expires: Int64? = nil) -> Permission? {
      Permission(
        AccessToken(
          id: 1, name: "t", hash: "", rights: rights, apps: apps, created: now,
          expires: expires.map(Timestamp.init(milliseconds:))), at: now)
    }
    #expect(token(.read, nil)?.allows(.read) == true && token(.read, nil)?.allows(.edit, on: 1) == false)
    #expect(
      token([.read, .edit], [1])?.allows(.edit, on: 1) == true && token([.read], [1])?.allows(.read, on: 2) == false)
    #expect(token(.read, [])?.isEmpty == true && token(.read, [])?.allows(.read, on: 1) == false)
    #expect(token(.read, nil, expires: 1000) == nil && token(.read, nil, expires: 1001) != nil)
  }

  @Test("different permissions have different keys in the page cache")
  func cacheKeys() {
    let all = [
      RoleGrants(), RoleGrants(everywhere: .reader), RoleGrants(everywhere: .editor), RoleGrants(apps: [1: .reader]),
      RoleGrants(apps: [11: .reader]), RoleGrants(apps: [1: .reader, 2: .editor]),
      RoleGrants(apps: [1: .editor, 2: .reader]),
    ]
    #expect(Set(all.map { Permission($0).cacheKey }).count == all.count)
  }

  @Test("names of rights are read in the form in which they are written")
  func names() {
    for text in ["read", "read,edit", "read,upload,edit,delete,admin"] {
      #expect(AccessRights(list: text)?.list == text)
    }
    for text in ["", ",", "read,write", "READ"] { #expect(AccessRights(list: text) == nil, "\(text)") }
    #expect(Role.reader < .editor && Role.editor < .admin && !(Role.admin < .admin))
  }
}
