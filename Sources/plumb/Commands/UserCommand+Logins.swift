import App
import ArgumentParser
import Core
import Storage

extension UserCommand {
  struct Logins: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the logins of users, newest first.",
      discussion: "Example:\n  plumb user logins ana")

    @Argument(help: "The user's name. (default: all users)")
    var name: String?

    @Flag(help: "Print JSON, one login per line.")
    var json = false

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let control = try Installation.existing(try folder.path()).control
      if let name, try control.user(named: name) == nil { throw ControlError.noSuchUser(name) }
      for login in try control.logins(of: name, at: WallClock.now()) {
        if json {
          Console.print(Self.json(login).encoded() + [UInt8(ascii: "\n")])
        } else {
          Console.print(
            "\(login.id)  \(login.user)  since \(login.created?.iso ?? "unknown")  last used "
              + "\(login.lastUsed?.iso ?? "unknown")  until \(login.expires.iso)  \(login.client)")
        }
      }
    }

    private static func json(_ login: LoginSession) -> JSONOutput {
      .object([
        ("id", .string(login.id)), ("user", .string(login.user)), ("created", .optional(login.created?.iso)),
        ("last_used", .optional(login.lastUsed?.iso)), ("expires", .string(login.expires.iso)),
        ("client", .string(login.client)),
      ])
    }
  }

  struct Logout: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End all logins of a user, or one of them.",
      discussion: "Example:\n  plumb user logout ana --login 3f2a9c01d4e5")

    @Argument(help: "The user's name.")
    var name: String

    @Option(help: "Only this login, by its id in `plumb user logins`.")
    var login: String?

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let control = try Installation.existing(try folder.path()).control
      guard try control.user(named: name) != nil else { throw ControlError.noSuchUser(name) }
      let count = try control.endLogins(of: name, id: login)
      if let login, count == 0 {
        throw UserFacingError("\(name) has no login \(login). `plumb user logins \(name)` lists the logins.")
      }
      Console.print(count == 1 ? "ended 1 login" : "ended \(count) logins")
    }
  }
}
