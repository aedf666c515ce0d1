import Core
import Storage

/// The rights of a client of the server, and the apps to which they apply. All routes check access only with this type.
///
///     guard reader.permission.allows(.delete, on: app.id) else { return ErrorResponses(request).forbidden }
struct Permission: Sendable, Hashable {
  private let everywhere: AccessRights
  private let apps: [AppID: AccessRights]

  /// The permission of a user with these roles.
  init(_ roles: RoleGrants) {
    everywhere = roles.everywhere?.rights ?? []
    apps = roles.apps.mapValues(\.rights)
  }

  /// The permission of a token; nil if it has expired at `now`.
  init?(_ token: AccessToken, at now: Timestamp) {
    guard token.isValid(at: now) else { return nil }
    everywhere = token.apps == nil ? token.rights : []
    apps = Dictionary((token.apps ?? []).map { ($0, token.rights) }) { first, _ in first }
  }

  /// Whether a right is granted on one app.
  func allows(_ right: AccessRights, on app: AppID) -> Bool {
    everywhere.union(apps[app] ?? []).isSuperset(of: right)
  }

  /// Whether a right is granted on every app and on the installation as a whole, such as reading `/metrics`.
  func allows(_ right: AccessRights) -> Bool { everywhere.isSuperset(of: right) }

  /// Whether no rights are granted.
  var isEmpty: Bool { everywhere.isEmpty && apps.values.allSatisfy(\.isEmpty) }

  /// The permission of local clients of a server started with `--open`.
  static let reading = Permission(RoleGrants(everywhere: .reader))

  /// A cache key for pages. It is equal only for equal permissions.
  var cacheKey: String {
    ([String(everywhere.rawValue)] + apps.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rawValue)" })
      .joined(separator: ",")
  }
}
