import App
import ArgumentParser
import Logging

/// The command `plumb migrate`: upgrades the databases to the current schema.
struct Migrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring the databases of an older Plumb up to date. `plumb serve` does it, too.",
    discussion: "Example:\n  plumb migrate --data /var/lib/plumb")

  @OptionGroup var folder: FolderOptions

  func run() throws {
    try Installation.migrate(try folder.path())
    Console.print("up to date")
  }
}

/// The command `plumb prune`: applies retention now.
struct Prune: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Drop what is past its time now. `plumb serve` does it every hour.",
    discussion: "Example:\n  plumb prune --data /var/lib/plumb")

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let pipeline = try Pipeline(
      installation, migrating: false,
      logger: Logger(label: "prune") { StreamLogHandler.standardError(label: $0) })
    try pipeline.maintain(now: WallClock.now())
    pipeline.stop()
    Console.print("pruned")
  }
}
