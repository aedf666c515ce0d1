import Access
import App
import ArgumentParser
import Foundation
import Storage
import Telemetry

/// The command `plumb user`: manages users of the dashboard.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Who may log in to the dashboard.",
    discussion: "Example:\n  plumb user add ana", subcommands: [Add.self, List.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a user, or give one another password. The password is read from standard input.",
      discussion: "Example:\n  plumb user add ana")

    @Argument(help: "1 to 64 letters, digits and . _ - @ +")
    var name: String

    @OptionGroup var folder: FolderOptions

    func run() throws {
      guard User.isName(name) else { throw ValidationError("A name has 1 to 64 letters, digits and . _ - @ +") }
      let installation = try Installation.creating(try folder.path())
      guard let password = Self.readPassword(), !password.isEmpty else {
        throw UserFacingError("No password was given.")
      }
      try installation.control.saveUser(
        User(name: name, passwordHash: try PasswordHash.make(password), created: WallClock.now()))
      Console.print("\(name) may log in")
    }

    /// Reads the password: without echo on a terminal, else one line of standard input.
    private static func readPassword() -> String? {
      guard isatty(FileHandle.standardInput.fileDescriptor) == 1 else { return readLine() }
      guard let typed = getpass("Password (at least \(PasswordHash.minimumLength) characters): ") else { return nil }
      return String(cString: typed)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the users.", discussion: "Example:\n  plumb user list")

    @OptionGroup var folder: FolderOptions

    func run() throws {
      for user in try Installation.existing(try folder.path()).control.users() {
        Console.print("\(user.name)  since \(user.created.iso)")
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a user and end their logins.", discussion: "Example:\n  plumb user remove ana")

    @Argument(help: "The user's name.")
    var name: String

    @OptionGroup var folder: FolderOptions

    func run() throws {
      try Installation.existing(try folder.path()).control.removeUser(named: name)
      Console.print("removed \(name)")
    }
  }
}
