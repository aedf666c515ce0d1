import App
import ArgumentParser

/// The command `plumb promote`: makes a standby the primary.
struct PromoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote",
    abstract: "Make a standby the primary.",
    discussion: """
      Example:
        plumb promote --data /var/lib/plumb

      Run it on the standby's machine while `plumb serve --standby-of` runs, also if the primary is gone. If the \
      primary answers, it accepts no more payloads, and its last records are copied first. Otherwise it refuses \
      payloads as soon as it comes back.

      If two standbys were promoted, run it with --force on the one that is to stay. The other then accepts no payloads.
      """)

  @Flag(
    help: """
      Promote even if the primary answers but cannot be stopped or copied, another server was promoted, or the disk is \
      full. On a primary, begin another epoch.
      """)
  var force = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    try PromotionRequest(try folder.path()).run(forces: force)
    Console.print("This standby is the primary now.")
  }
}
