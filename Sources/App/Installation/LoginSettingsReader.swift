import Core
import Outbound
import Storage
import Web
import Yams

/// Reads the section `login:` of the settings. Every error names its line. Secrets are read from the locations in the
/// section.
struct LoginSettingsReader {
  private let path: String
  private let environment: [String: String]

  init(path: String, environment: [String: String]) {
    self.path = path
    self.environment = environment
  }

  /// The settings, and the addresses of proxies that sign users in. Throws `UsageError`.
  func read(_ yaml: String) throws -> (LoginSettings, TrustedProxies) {
    var login = LoginSettings()
    var proxies = TrustedProxies()
    // The file was parsed before, so it is a mapping.
    guard let section = try YAML.compose(yaml)?.mapping?["login"] else { return (login, proxies) }
    var options = OptionReader(section, of: "login")
    login.allowsPasswords = options.flag("passwords") ?? true
    if let seconds = seconds(&options) { login.sessionSeconds = seconds }
    let (oidc, proxy) = (options.node("oidc"), options.node("proxy"))
    options.finish()
    try check(options, section)
    if let oidc { login.provider = try provider(oidc) }
    if let proxy { (login.proxy, proxies) = try proxyLogin(proxy) }
    guard login.allowsPasswords || login.provider != nil || login.proxy != nil else {
      throw UsageError("\(path): login: `passwords: false` needs `oidc` or `proxy`; otherwise no user could sign in.")
    }
    return (login, proxies)
  }

  private func provider(_ node: Node) throws -> OpenIDSettings {
    var options = OptionReader(node, of: "oidc")
    let issuer = options.text("issuer")
    if issuer == nil { options.missing("issuer, such as https://id.example.com") }
    if let issuer, !OpenIDSettings.isAllowed(address: issuer) {
      options.problem(node, "issuer must begin with https://, unless the provider is on this machine")
    }
    let clientID = options.text("client-id")
    if clientID == nil { options.missing("client-id") }
    let secret = options.secret("client-secret")
    var provider = OpenIDSettings(issuer: issuer ?? "", clientID: clientID ?? "", rules: ExternalUserRules())
    if let scopes = options.texts("scopes") { provider.scopes = ["openid"] + scopes.filter { $0 != "openid" } }
    if let claim = options.text("name-claim") { provider.nameClaim = claim }
    if let claim = options.text("groups-claim") { provider.groupsClaim = claim }
    if let label = options.text("label") { provider.label = String(label.prefix(100)) }
    if let seconds = seconds(&options) { provider.sessionSeconds = seconds }
    provider.caFile = options.text("ca-file")
    provider.rules = try rules(&options, "oidc")
    options.finish()
    try check(options, node)
    do {
      provider.clientSecret = try secret?.read(environment: environment).use { $0 }
    } catch {
      throw UsageError("\(path): login: oidc: client-secret: \(error).")
    }
    return provider
  }

  private func proxyLogin(_ node: Node) throws -> (ProxyLogin, TrustedProxies) {
    var options = OptionReader(node, of: "proxy")
    let texts = options.texts("addresses") ?? []
    let ranges = texts.compactMap { ClientAddress.Range($0) }
    if texts.isEmpty || ranges.count < texts.count {
      options.problem(node, "proxy needs `addresses`, a list of addresses or ranges such as 10.0.0.0/8")
    }
    let (user, groups) = (options.text("user-header"), options.text("groups-header"))
    var proxy = ProxyLogin(rules: try rules(&options, "proxy"))
    if let user { proxy.userHeader = user }
    proxy.groupsHeader = groups
    for header in [user, groups].compactMap({ $0 }) where !Self.isHeader(header) {
      options.problem(node, "expected a header name such as X-User, found \"\(header.prefix(60))\"")
    }
    if groups == nil, !proxy.rules.groups.isEmpty || !proxy.rules.roles.isEmpty {
      options.problem(node, "groups need `groups-header`, the name of the header that lists a user's groups")
    }
    options.finish()
    try check(options, node)
    return (proxy, TrustedProxies(ranges))
  }

  /// The options `allowed`, `roles` and `default-role`, which both sections have.
  private func rules(_ options: inout OptionReader, _ owner: String) throws -> ExternalUserRules {
    var rules = ExternalUserRules()
    if let node = options.node("allowed") {
      if node.scalar?.string == "everyone" {
        rules.allowsEveryone = true
      } else {
        var allowed = OptionReader(node, of: "allowed")
        rules.groups = Set(allowed.texts("groups") ?? [])
        rules.addresses = Set((allowed.texts("addresses") ?? []).map { $0.lowercased() })
        allowed.finish()
        try check(allowed, node)
      }
    }
    if !rules.allowsEveryone, rules.groups.isEmpty, rules.addresses.isEmpty {
      options.missing("`allowed:` with `groups` or `addresses`, or `allowed: everyone` for all users of the provider")
    }
    for node in options.node("roles").map({ $0.sequence.map(Array.init) ?? [$0] }) ?? [] {
      rules.roles.append(try groupRole(node))
    }
    if let name = options.choice("default-role", among: Role.allCases.map(\.rawValue) + ["none"]) {
      rules.defaultRole = Role(rawValue: name)
    } else if rules.roles.isEmpty {
      rules.defaultRole = .reader
    }
    return rules
  }

  private func groupRole(_ node: Node) throws -> ExternalUserRules.GroupRole {
    var options = OptionReader(node, of: "a role")
    let group = options.text("group")
    if group == nil { options.missing("group") }
    let role = options.choice("role", among: Role.allCases.map(\.rawValue)).flatMap(Role.init)
    if role == nil { options.missing("role: reader, editor or admin") }
    let apps = options.texts("apps")
    options.finish()
    try check(options, node)
    return ExternalUserRules.GroupRole(group: group ?? "", role: role ?? .reader, apps: apps)
  }

  private func seconds(_ options: inout OptionReader) -> Int? {
    guard let text = options.text("session") else { return nil }
    guard let span = DurationSetting(text), (60_000...366 * 86_400_000).contains(span.milliseconds) else {
      options.problem(nil, "session: expected a duration such as 12h or 7d, from 1m to 366d, found \"\(text)\"")
      return nil
    }
    return Int(span.milliseconds / 1000)
  }

  private static func isHeader(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { $0 == 0x2D || (48...57).contains($0) || (97...122).contains($0 | 0x20) }
  }

  private func check(_ options: OptionReader, _ node: Node) throws {
    guard let first = options.problems.first else { return }
    let mark = first.mark ?? node.mark
    throw UsageError("\(path):\(mark?.line ?? 1):\(mark?.column ?? 1): \(first.message).")
  }
}
