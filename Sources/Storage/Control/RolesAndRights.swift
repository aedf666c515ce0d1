/// The rights of a user or a token.
public struct AccessRights: OptionSet, Sendable, Hashable {
  /// The rights as stored.
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Reading pages, the API and exports.
  public static let read = AccessRights(rawValue: 1)
  /// Uploading symbols.
  public static let upload = AccessRights(rawValue: 2)
  /// Deciding about groups and silencing alerts.
  public static let edit = AccessRights(rawValue: 4)
  /// Deleting received data.
  public static let delete = AccessRights(rawValue: 8)
  /// Reading the audit log and ending other users' logins.
  public static let administer = AccessRights(rawValue: 16)
  /// Acting as an ingest node: receiving the configuration with the folder's secret, and relaying records of every app.
  /// No role and no other right includes it.
  public static let relay = AccessRights(rawValue: 32)
  /// Acting as a standby: copying the whole data folder, and following its changes. No role and no other right includes
  /// it.
  public static let replicate = AccessRights(rawValue: 64)
  /// Adding runs of performance tests. Build machines of pull requests may have it, so no other right is included.
  public static let lab = AccessRights(rawValue: 128)

  /// Every right with its name, in the order of lists.
  public static let named: [(name: String, right: AccessRights)] = [
    ("read", .read), ("upload", .upload), ("edit", .edit), ("delete", .delete), ("admin", .administer),
    ("node", .relay), ("standby", .replicate), ("lab", .lab),
  ]

  /// Parses a list such as `read,edit`; nil for an empty list or an unknown name.
  public init?(list: String) {
    let names = list.split { $0 == "," || $0 == " " }
    let found = names.compactMap { name in Self.named.first { $0.name == name }?.right }
    guard !found.isEmpty, found.count == names.count else { return nil }
    self = found.reduce([]) { $0.union($1) }
  }

  /// The names of the rights: `read,edit`.
  public var list: String { Self.named.filter { contains($0.right) }.map(\.name).joined(separator: ",") }
}

/// The role of a user. Each role includes the rights of those before it. Raw values are stored.
public enum Role: String, Sendable, CaseIterable, Comparable {
  /// Reads everything.
  case reader
  /// Also decides about groups and silences alerts.
  case editor
  /// Also deletes data and uploads symbols. An administrator of all apps also reads the audit log and ends logins.
  case admin

  /// The rights that the role includes.
  public var rights: AccessRights {
    switch self {
    case .reader: .read
    case .editor: [.read, .edit]
    case .admin: [.read, .upload, .edit, .delete, .administer]
    }
  }

  public static func < (left: Role, right: Role) -> Bool { left.rights.isStrictSubset(of: right.rights) }
}

/// The roles of one user: one for all apps, and others for single apps.
public struct RoleGrants: Sendable, Hashable {
  /// The role for all apps, including those added later; nil if not set.
  public var everywhere: Role?
  /// Roles for single apps. The higher of both roles applies.
  public var apps: [AppID: Role]

  public init(everywhere: Role? = nil, apps: [AppID: Role] = [:]) {
    self.everywhere = everywhere
    self.apps = apps
  }

  /// Whether the user has no role.
  public var isEmpty: Bool { everywhere == nil && apps.isEmpty }

  /// Adds a role. A role lower than the user's changes nothing. `app`: nil for all apps.
  public mutating func add(_ role: Role, on app: AppID?) {
    if let app { apps[app] = max(role, apps[app] ?? role) } else { everywhere = max(role, everywhere ?? role) }
  }
}
