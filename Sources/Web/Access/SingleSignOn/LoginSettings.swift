public import Storage

/// The settings for signing in: the section `login:` of the settings.
public struct LoginSettings: Sendable {
  /// Whether users may sign in with a password.
  public var allowsPasswords = true
  /// The duration of a login with a password, in seconds: a week.
  public var sessionSeconds = 7 * 86_400
  /// The OpenID Connect provider; nil if not set.
  public var provider: OpenIDSettings?
  /// The headers of a proxy that authenticates people; nil if not set.
  public var proxy: ProxyLogin?

  /// The defaults: passwords only.
  public init() {}
}

/// The settings of an OpenID Connect provider: the section `oidc:` of `login:`.
public struct OpenIDSettings: Sendable {
  /// The provider's issuer URL, exactly as in its discovery document and its tokens.
  var issuer: String
  var clientID: String
  /// The client secret; nil for a client that only PKCE protects.
  public var clientSecret: String?
  public var scopes = ["openid", "email", "profile"]
  /// The claim with the user's name: `email` (which must be verified), `preferred_username` or `sub`.
  public var nameClaim = "email"
  /// The claim that lists groups. A path with dots selects a nested claim (`realm_access.roles`).
  public var groupsClaim = "groups"
  /// The text of the button on the login page.
  public var label = "Sign in with your organisation"
  /// A file with CA certificates to trust instead of the system's.
  public var caFile: String?
  /// The duration of a login through the provider, in seconds: a day. Then the person must sign in again.
  public var sessionSeconds = 86_400
  public var rules: ExternalUserRules

  public init(issuer: String, clientID: String, clientSecret: String? = nil, rules: ExternalUserRules) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.rules = rules
  }

  /// Whether an address is allowed for a provider: https, or http on this machine.
  public static func isAllowed(address: String) -> Bool {
    guard address.utf8.count <= 2048, address.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x5C }),
      let origin = Origin(address)
    else { return false }
    return origin.scheme == "https" || LoopbackRule.isLocalHost(origin.authority)
  }
}

/// The rules that decide which people of a provider or proxy may sign in, and with which roles.
public struct ExternalUserRules: Sendable {
  /// Members of any of these groups may sign in.
  public var groups: Set<String> = []
  /// Addresses that may sign in, in lower case: `ana@example.com`, or `@example.com` for a whole domain.
  public var addresses: Set<String> = []
  /// Whether all people known to the provider may sign in.
  public var allowsEveryone = false
  /// Roles by group.
  public var roles: [GroupRole] = []
  /// The role on all apps for people without a role by group; nil if they may not sign in.
  public var defaultRole: Role?

  /// The role of the members of a group.
  public struct GroupRole: Sendable {
    var group: String
    var role: Role
    /// The bundle identifiers of the apps; nil for all apps.
    var apps: [String]?

    public init(group: String, role: Role, apps: [String]? = nil) {
      self.group = group
      self.role = role
      self.apps = apps
    }
  }

  public init() {}

  /// Whether a person may sign in. `address`: the verified mail address; nil without one.
  func allows(address: String?, groups: [String]) -> Bool {
    if allowsEveryone || !self.groups.isDisjoint(with: groups) { return true }
    guard let address = address?.lowercased(), let at = address.lastIndex(of: "@") else { return false }
    return addresses.contains(address) || addresses.contains(String(address[at...]))
  }

  /// The roles of a person with these groups. `app`: returns an app by its bundle identifier; nil, and no role, for an
  /// unknown app.
  func roles(groups: [String], app: (String) throws -> AppID?) rethrows -> RoleGrants {
    var grants = RoleGrants()
    for rule in roles where groups.contains(rule.group) {
      guard let apps = rule.apps else {
        grants.add(rule.role, on: nil)
        continue
      }
      for name in apps { if let id = try app(name) { grants.add(rule.role, on: id) } }
    }
    if grants.isEmpty, let defaultRole { grants.add(defaultRole, on: nil) }
    return grants
  }
}
