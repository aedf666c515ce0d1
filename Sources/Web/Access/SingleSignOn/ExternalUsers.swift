import Core
import Storage

/// Decides whether people authenticated by a provider or proxy may sign in, and with which roles.
///
/// A user with a password is never the same as a person of the provider, even if their names are equal. Otherwise
/// people who can choose their name at the provider could take over an account.
struct ExternalUsers: Sendable {
  private let control: any ControlStore
  private let rules: ExternalUserRules

  init(control: any ControlStore, rules: ExternalUserRules) {
    self.control = control
    self.rules = rules
  }

  enum Decision: Sendable, Equatable {
    case admitted(User)
    /// Refused; the text is a sentence for the person.
    case refused(String)
  }

  /// Decides about a person of an OpenID provider, and stores the user. `claim`: the name of the claim with the user's
  /// name.
  func admit(_ person: IDTokenClaims, issuer: String, claim: String, at now: Timestamp) throws -> Decision {
    // Another person with the same name may sign in for the first time simultaneously; then decide again.
    for _ in 0..<Self.attempts {
      do {
        return try decide(person, issuer: issuer, claim: claim, at: now)
      } catch ControlError.userChanged { continue }
    }
    return .refused("Your user was changed at the same time. Try again.")
  }

  private static let attempts = 3

  private func decide(_ person: IDTokenClaims, issuer: String, claim: String, at now: Timestamp) throws -> Decision {
    guard let name = person.name, User.isName(name) else {
      let reason = claim == "email" ? "verified email address" : "user name (\(claim))"
      return .refused("The provider sent no \(reason) for you that is valid as a user name in Plumb.")
    }
    guard rules.allows(address: person.verifiedAddress, groups: person.groups ?? []) else {
      return .refused("\(name) may not sign in: neither the address nor a group is allowed.")
    }
    let identity = SessionCookie.hash(ofID: issuer + "\0" + person.subject)
    var user = User(name: name, passwordHash: nil, hasRolesOfProvider: true, created: now)
    if let known = try control.user(identity: identity) {
      user = known
    } else if let found = try control.user(named: name) {
      guard found.passwordHash == nil, found.identity == nil else { return Self.taken(name) }
      user = found
    }
    let old = user
    let stored = try control.user(named: user.name)
    user.identity = identity
    if user.hasRolesOfProvider { user.roles = try roles(person.groups ?? []) }
    let isNew = stored == nil
    guard isNew || stored == old else { throw ControlError.userChanged(user.name) }
    if isNew ? !user.roles.isEmpty : user != old {
      // The settings decide, even if this removes the last administrator.
      try control.acting(as: Actor(.user, user.name)).saveUser(user, replacing: stored, force: true)
    }
    return user.roles.isEmpty ? Self.withoutRole(name) : .admitted(user)
  }

  /// Decides about the person in the headers of a proxy. Nothing is stored. Roles that an administrator has set take
  /// precedence over the settings.
  func admit(name: String, groups: [String]) throws -> Decision {
    guard rules.allows(address: name, groups: groups) else {
      return .refused("\(name) may not sign in: neither the name nor a group is allowed.")
    }
    let found = try control.user(named: name)
    guard found?.passwordHash == nil else { return Self.taken(name) }
    var user =
      found ?? User(name: name, passwordHash: nil, hasRolesOfProvider: true, created: Timestamp(milliseconds: 0))
    if user.hasRolesOfProvider { user.roles = try roles(groups) }
    return user.roles.isEmpty ? Self.withoutRole(name) : .admitted(user)
  }

  private func roles(_ groups: [String]) throws -> RoleGrants {
    try rules.roles(groups: groups) { try control.app(bundleID: $0)?.id }
  }

  private static func taken(_ name: String) -> Decision {
    .refused(
      "The user name \(name) is already taken. An administrator can link that user to your sign-in with "
        + "`plumb user add \(name) --external`.")
  }

  private static func withoutRole(_ name: String) -> Decision {
    .refused("\(name) has no role. An administrator can set one with `plumb user role \(name) reader`.")
  }
}
