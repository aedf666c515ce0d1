import Analysis
import App
import ArgumentParser
import Logging

/// The command `plumb prune`: applies retention now.
struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete expired data and free its space.",
    discussion: """
      Example:
        plumb prune --data /var/lib/plumb

      `plumb serve` does this every hour.
      """)

  @Flag(
    name: .customLong("clock-is-right"),
    help: "Continue even if the clock is far from the time of the newest payload, as after a long pause.")
  var clockIsRight = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let freed = try RetentionPruning.run(
      installation, try folder.settings(), clockIsRight: clockIsRight,
      logger: Logger(label: "prune") { StreamLogHandler.standardError(label: $0) })
    Console.print("Deleted the expired data. Disk space freed: \(ByteSize.text(freed)).")
  }
}
