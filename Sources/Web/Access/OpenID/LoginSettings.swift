public import Storage

/// How people sign in: the section `login:` of the settings.
public struct LoginSettings: Sendable {
  /// Whether users with a password may use it.
  public var allowsPasswords = true
  /// How long a login with a password lasts, in seconds: a week.
  public var sessionSeconds = 7 * 86_400
  /// The provider of OpenID Connect; nil for none.
  public var provider: OpenIDSettings?
  /// The headers of a proxy that authenticates people; nil for none.
  public var proxy: ProxyLogin?

  /// The defaults: passwords only.
  public init() {}
}

/// A provider of logins by OpenID Connect: the section `oidc:` of `login:`.
public struct OpenIDSettings: Sendable {
  /// The provider's address, as its discovery document and its tokens write it.
  var issuer: String
  var clientID: String
  /// Nil for a client without a secret, which PKCE alone protects.
  public var clientSecret: String?
  public var scopes = ["openid", "email", "profile"]
  /// The claim that becomes the user's name: `email` (which must be verified), `preferred_username` or `sub`.
  public var nameClaim = "email"
  /// The claim that lists groups; a path with dots finds a claim inside others (`realm_access.roles`).
  public var groupsClaim = "groups"
  /// The words on the button of the login page.
  public var label = "Sign in with your organisation"
  /// Certificates of authorities to trust instead of the system's.
  public var caFile: String?
  /// How long such a login lasts, in seconds: a day, after which the provider is asked again.
  public var sessionSeconds = 86_400
  public var rules: ExternalUserRules

  public init(issuer: String, clientID: String, clientSecret: String? = nil, rules: ExternalUserRules) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.rules = rules
  }

  /// Whether an address may be used for a provider: https, or http on this machine.
  public static func isAllowed(address: String) -> Bool {
    guard address.utf8.count <= 2048, address.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x5C }),
      let origin = Origin(address)
    else { return false }
    return origin.scheme == "https" || LoopbackRule.isLocalHost(origin.authority)
  }
}

/// Which people of a provider or proxy may sign in, and their roles.
public struct ExternalUserRules: Sendable {
  /// Members of any of these groups may sign in.
  public var groups: Set<String> = []
  /// Addresses that may sign in, in lower case: `ana@example.com`, or `@example.com` for a whole domain.
  public var addresses: Set<String> = []
  /// Whether everybody whom the provider knows may sign in.
  public var allowsEveryone = false
  /// Roles by group.
  public var roles: [GroupRole] = []
  /// The role on all apps of people for whom no group has a role; nil for none, who then cannot sign in.
  public var defaultRole: Role?

  /// A role that the members of a group have.
  public struct GroupRole: Sendable {
    var group: String
    var role: Role
    /// The bundle identifiers of the only apps; nil for all.
    var apps: [String]?

    public init(group: String, role: Role, apps: [String]? = nil) {
      self.group = group
      self.role = role
      self.apps = apps
    }
  }

  public init() {}

  /// Whether a person may sign in. `address`: a verified address of mail; nil without one.
  func allows(address: String?, groups: [String]) -> Bool {
    if allowsEveryone || !self.groups.isDisjoint(with: groups) { return true }
    guard let address = address?.lowercased(), let at = address.lastIndex(of: "@") else { return false }
    return addresses.contains(address) || addresses.contains(String(address[at...]))
  }

  /// The roles of a person with these groups. `app`: finds an app by its bundle identifier; apps that do not exist give
  /// no role.
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
