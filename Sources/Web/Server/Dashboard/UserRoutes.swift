import Core
import Storage

/// The page of users and its forms, for signed-in administrators. The audit log records every change.
struct UserRoutes: Sendable {
  private let backend: any ServerBackend
  private let access: ReadAccess
  private let throttle: LoginThrottle

  init(_ backend: any ServerBackend, _ access: ReadAccess, _ throttle: LoginThrottle) {
    (self.backend, self.access, self.throttle) = (backend, access, throttle)
  }

  /// Why a change was refused, as a sentence for the administrator.
  private struct Refused: Error {
    let reason: String
  }

  /// The page, or the answer to one of its forms.
  func answer(_ call: RoutedRequest) throws -> Response {
    let (request, now) = (call.request, backend.now())
    let errors = ErrorResponses(request)
    guard let reader = try access.reader(of: request, at: now) else { return errors.unauthorized }
    guard ["GET", "HEAD", "POST"].contains(request.method) else { return errors.methodNotAllowed("GET, HEAD, POST") }
    // Only signed-in users: neither tokens nor clients of an open server may manage users.
    guard reader.isSignedIn else { return errors.notFound }
    guard reader.permission.allows(.administer) else { return errors.forbidden(AuditQueryParameters.refusal) }
    guard request.method == "POST" else { return try page(200, nil, reader, now) }
    guard request.isFromOwnPage(publicURL: backend.settings.publicURL) else { return ErrorResponses.foreignPage }
    if case .wait(let seconds) = throttle.decision(of: reader.actor.key, at: now) {
      return errors.tooManyDecisions(seconds)
    }
    do {
      try change(FormFields(request.body), reader, now)
      return Response(status: 303, headers: [("Location", Page.users.path)] + SecurityHeaders.headers)
    } catch let refused as Refused {
      return try page(400, refused.reason, reader, now)
    } catch let error as PasswordError {
      return try page(400, "\(error)", reader, now)
    } catch ControlError.lastAdmin(let name) {
      return try page(409, "\(name) is the last administrator of all apps. Add another one first.", reader, now)
    } catch ControlError.noSuchUser(let name) {
      return try page(409, "There is no user \(name).", reader, now)
    } catch let error as ControlError {
      guard case .userChanged = error else { throw error }
      return try page(409, error.description, reader, now)
    }
  }

  private func change(_ fields: FormFields, _ reader: ReadAccess.Reader, _ now: Timestamp) throws {
    let control = backend.control.acting(as: reader.actor)
    guard let name = fields["user"], User.isName(name) else {
      throw Refused(reason: "User name: expected 1 to 64 letters, digits and . _ - @ +")
    }
    let known = try backend.control.user(named: name)
    if fields["action"] == "add" {
      guard known == nil else { throw Refused(reason: "The user \(name) already exists.") }
      var user = User(name: name, passwordHash: try password(fields), created: now)
      guard user.passwordHash != nil || allowsExternal else { throw Refused(reason: "A password is needed.") }
      user.hasRolesOfProvider = false
      try setRole(fields, of: &user)
      return try control.saveUser(user, replacing: nil, force: false)
    }
    guard var user = known else { throw ControlError.noSuchUser(name) }
    switch fields["action"] {
    case "role":
      try setRole(fields, of: &user)
      try control.saveUser(user, replacing: known, force: false)
    case "password":
      guard let hash = try password(fields) else { throw Refused(reason: "A password is needed.") }
      (user.passwordHash, user.identity) = (hash, nil)
      if user.hasRolesOfProvider { user.hasRolesOfProvider = false }
      try control.saveUser(user, replacing: known, force: false)
    case "remove":
      guard fields["sure"] == user.name else { throw Refused(reason: "Type \(user.name) to remove the user.") }
      try control.removeUser(named: user.name)
    default: throw Refused(reason: "The form does not specify what to change.")
    }
  }

  /// The hash of the password; nil without one.
  private func password(_ fields: FormFields) throws -> String? {
    guard let text = fields["password"], !text.isEmpty else { return nil }
    return try PasswordHash.make(text)
  }

  /// Sets the role on one app or on all apps. Other roles stay unchanged.
  private func setRole(_ fields: FormFields, of user: inout User) throws {
    let name = fields["role"] ?? ""
    if name == "provider" {
      guard user.passwordHash == nil else { throw Refused(reason: "A user with a password needs a fixed role.") }
      (user.roles, user.hasRolesOfProvider) = (RoleGrants(), true)
      return
    }
    let role = Role(rawValue: name)
    guard role != nil || name == "none" else { throw Refused(reason: "Choose a role.") }
    user.hasRolesOfProvider = false
    guard let bundleID = fields["app"], !bundleID.isEmpty else { return user.roles.everywhere = role }
    guard let app = try backend.control.app(bundleID: bundleID) else {
      throw Refused(reason: "There is no app \(bundleID).")
    }
    user.roles.apps[app.id] = role
  }

  private var allowsExternal: Bool { backend.settings.login.provider != nil || backend.settings.login.proxy != nil }

  private func page(
    _ status: Int, _ failure: String?, _ reader: ReadAccess.Reader, _ now: Timestamp
  ) throws -> Response {
    let apps = Dictionary(try backend.control.apps().map { ($0.id, $0.bundleID) }) { first, _ in first }
    let list = UserList(
      admin: reader.name, users: try backend.control.users(), apps: apps, allowsExternal: allowsExternal,
      shortestPassword: PasswordHash.minimumLength, failure: failure, asOf: now)
    return Response(
      status: status,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")] + SecurityHeaders.headers,
      body: UsersView.render(list, reader.page(backend)))
  }
}
