import App
import ArgumentParser

/// The command `plumb migrate`: upgrades the databases to the current schema.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Upgrade the databases to this version.",
    discussion: """
      Example:
        plumb migrate --data /var/lib/plumb

      `plumb serve` also does this when it starts. The databases are first copied to DATA/copies, so that you can go \
      back to the older version. Stop the server first: an older version cannot read the upgraded databases.

      Exit status: 0 upgraded, 2 nothing was changed because a server or another command is using the folder.
      """)

  @Flag(
    name: .customLong("without-copy"),
    help: "Make no copy first. You can then go back to the older version only with a backup.")
  var withoutCopy = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    do {
      if let copy = try Installation.migrate(try folder.path(), copies: !withoutCopy) {
        Console.print("The previous databases are in \(copy).")
      }
      Console.print("The databases are up to date.")
    } catch let error as FolderInUse {
      Console.complain("Nothing was changed: \(error)")
      throw ExitCode(2)
    }
  }
}
