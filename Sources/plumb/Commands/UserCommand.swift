import App
public import ArgumentParser
import Core
import Foundation
public import Storage
import Web

/// The command `plumb user`: manages dashboard users. `plumb user logins` and `logout` are in `UserCommand+Logins`.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Manage dashboard users, their roles and logins.",
    discussion: "Example:\n  plumb user add ana --role editor --app com.example.shop",
    subcommands: [Add.self, List.self, SetRole.self, Remove.self, Logins.self, Logout.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a user, or change a user's password.",
      discussion: """
        Example:
          plumb user add ana --role editor

        The password is read from standard input. A reader sees everything, an editor also changes groups and \
        silences, and an admin also deletes data. Without --role, the first user becomes an admin and other new users \
        become editors of all apps; existing users keep their roles.
        """)

    @Argument(help: "The user's name: 1 to 64 letters, digits and . _ - @ +")
    var name: String

    @Option(help: "The role: reader, editor or admin.")
    var role: Role?

    @Option(help: "Grant the role on this app only. Repeat the option for several apps. (default: all apps)")
    var app: [String] = []

    @Flag(help: "A user without a password, who signs in through the provider or proxy in the settings.")
    var external = false

    @Flag(help: "Continue even if no admin is left.")
    var force = false

    @OptionGroup var folder: FolderOptions

    func validate() throws {
      guard app.isEmpty || role != nil else { throw ValidationError("--app needs --role reader, editor or admin.") }
    }

    func run() throws {
      guard User.isName(name) else {
        throw ValidationError("<name>: expected 1 to 64 letters, digits and . _ - @ +, found \"\(name)\".")
      }
      let installation = try Installation.creating(try folder.path())
      let old = try installation.control.user(named: name)
      var user = old ?? User(name: name, passwordHash: nil, created: WallClock.now())
      if let role {
        user.roles = try installation.roles(role, on: app)
        user.hasRolesOfProvider = false
      } else if old == nil {
        user.hasRolesOfProvider = external
        if !external {
          let isFirst = try installation.control.users().allSatisfy { $0.roles.everywhere != .admin }
          user.roles = RoleGrants(everywhere: isFirst ? .admin : .editor)
        }
      }
      user.passwordHash = external ? nil : try Self.passwordHash()
      if !external { user.identity = nil }
      try installation.control.saveUser(user, force: force)
      let names = try installation.appNames()
      Console.print("\(user.name) can sign in\(external ? " with the provider" : ""): \(RoleText.line(user, names))")
    }

    private static func passwordHash() throws -> String {
      guard let password = readPassword(), !password.isEmpty else {
        throw UserFacingError("No password was given. Type it, or pass one line on standard input.")
      }
      return try PasswordHash.make(password)
    }

    /// Reads the password: without echo on a terminal, otherwise one line of standard input.
    private static func readPassword() -> String? {
      guard isatty(FileHandle.standardInput.fileDescriptor) == 1 else { return readLine() }
      guard let typed = getpass("Password (at least \(PasswordHash.minimumLength) characters): ") else { return nil }
      return String(cString: typed)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the users and their roles.", discussion: "Example:\n  plumb user list --json")

    @Flag(help: "Print JSON, one user per line.")
    var json = false

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let installation = try Installation.existing(try folder.path())
      let names = try installation.appNames()
      for user in try installation.control.users() {
        if json {
          Console.print(RoleText.json(user, names).encoded() + [UInt8(ascii: "\n")])
        } else {
          let way = user.passwordHash == nil ? "  signs in with the provider" : ""
          Console.print("\(user.name)  since \(user.created.iso)  \(RoleText.line(user, names))\(way)")
        }
      }
    }
  }

  struct SetRole: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "role", abstract: "Replace the roles of a user.",
      discussion: """
        Example:
          plumb user role ana editor --app com.example.shop

        The change takes effect at the user's next request. `none` removes all roles. With `provider`, an external \
        user again gets the roles from the settings at each sign-in.
        """)

    @Argument(help: "The user's name.")
    var name: String

    @Argument(help: "The new role: reader, editor, admin, none or provider.")
    var role: String

    @Option(help: "Grant the role on this app only. Repeat the option for several apps. (default: all apps)")
    var app: [String] = []

    @Flag(help: "Continue even if no admin is left.")
    var force = false

    @OptionGroup var folder: FolderOptions

    func validate() throws {
      guard Role(rawValue: role) != nil || (["none", "provider"].contains(role) && app.isEmpty) else {
        throw ValidationError(
          "<role>: expected reader, editor, admin, none or provider (the last two without --app), found \"\(role)\".")
      }
    }

    func run() throws {
      let installation = try Installation.existing(try folder.path())
      guard var user = try installation.control.user(named: name) else { throw ControlError.noSuchUser(name) }
      guard role != "provider" || user.passwordHash == nil else {
        throw UserFacingError("\(user.name) has a password. `plumb user add \(user.name) --external` removes it.")
      }
      user.hasRolesOfProvider = role == "provider"
      user.roles = try Role(rawValue: role).map { try installation.roles($0, on: app) } ?? RoleGrants()
      try installation.control.saveUser(user, force: force)
      Console.print("\(user.name): \(RoleText.line(user, try installation.appNames()))")
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a user and end the user's logins.", discussion: "Example:\n  plumb user remove ana")

    @Argument(help: "The user's name.")
    var name: String

    @Flag(help: "Continue even if no admin is left.")
    var force = false

    @OptionGroup var folder: FolderOptions

    func run() throws {
      try Installation.existing(try folder.path()).control.removeUser(named: name, force: force)
      Console.print("removed \(name)")
    }
  }
}

extension Role: ExpressibleByArgument {}

extension Installation {
  /// The roles of a user with one role on all apps, or on the named apps.
  func roles(_ role: Role, on apps: [String]) throws -> RoleGrants {
    guard !apps.isEmpty else { return RoleGrants(everywhere: role) }
    return RoleGrants(apps: Dictionary(try apps.map { (try app($0).id, role) }) { first, _ in first })
  }

  /// The bundle identifiers of all apps.
  func appNames() throws -> [AppID: String] {
    Dictionary(try control.apps().map { ($0.id, $0.bundleID) }) { first, _ in first }
  }
}

/// Roles as text and JSON.
enum RoleText {
  /// `reader on all apps, editor on com.example.shop`
  static func line(_ user: User, _ names: [AppID: String]) -> String {
    let all = user.roles.everywhere.map { ["\($0.rawValue) on all apps"] } ?? []
    let parts = all + single(user, names).map { "\($0.role.rawValue) on \($0.app)" }
    let roles = parts.isEmpty ? "no role" : parts.joined(separator: ", ")
    return user.hasRolesOfProvider ? "\(roles), from the provider's groups" : roles
  }

  static func json(_ user: User, _ names: [AppID: String]) -> JSONOutput {
    .object([
      ("name", .string(user.name)), ("role", .optional(user.roles.everywhere?.rawValue)),
      ("apps", .object(single(user, names).map { ($0.app, .string($0.role.rawValue)) })),
      ("roles_of_provider", .bool(user.hasRolesOfProvider)), ("external", .bool(user.passwordHash == nil)),
      ("created", .string(user.created.iso)),
    ])
  }

  private static func single(_ user: User, _ names: [AppID: String]) -> [(app: String, role: Role)] {
    user.roles.apps.sorted { $0.key < $1.key }.map { (names[$0.key] ?? "app \($0.key)", $0.value) }
  }
}
