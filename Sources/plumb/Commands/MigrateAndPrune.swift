import Analysis
import App
import ArgumentParser
import Logging

/// The command `plumb migrate`: upgrades the databases to the current schema.
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring the databases of an older Plumb up to date. `plumb serve` does it, too.",
    discussion: """
      Example:
        plumb migrate --data /var/lib/plumb

      The databases are copied first, to DATA/copies, as the way back to the older version. Stop the server before: one
      of an older version does not know the new databases.

      Exit status: 0, 2 when nothing was changed because a server or another command uses the folder.
      """)

  @Flag(name: .customLong("without-copy"), help: "Make no copy first. Then there is no way back but a backup.")
  var withoutCopy = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    do {
      if let copy = try Installation.migrate(try folder.path(), copies: !withoutCopy) {
        Console.print("the databases before are in \(copy)")
      }
      Console.print("up to date")
    } catch let error as FolderInUse {
      Console.complain("nothing was changed: \(error)")
      throw ExitCode(2)
    }
  }
}

/// The command `plumb prune`: applies retention now.
struct Prune: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Drop what is past its time now, and give the room back. `plumb serve` does it every hour.",
    discussion: "Example:\n  plumb prune --data /var/lib/plumb")

  @Flag(
    name: .customLong("clock-is-right"),
    help: "Go on although the clock is far from the newest payload, as after a long pause.")
  var clockIsRight = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let freed = try Pruning.run(
      installation, try folder.settings(), clockIsRight: clockIsRight,
      logger: Logger(label: "prune") { StreamLogHandler.standardError(label: $0) })
    Console.print("pruned; \(ByteSize.text(freed)) given back to the file system")
  }
}
