import Analysis
import App
import ArgumentParser
import Core
import Logging
import Storage

/// The command `plumb storage`: prints what takes room in the data folder.
struct StorageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage", abstract: "What takes room in the data folder, and how long it is kept.",
    discussion: """
      Example:
        plumb storage --data /var/lib/plumb

      It reads every page of the databases, which takes a while in a large folder. Retention is set by keep-fine,
      keep-daily, keep-sessions, keep-diagnostics, keep-samples and keep-journal; `plumb prune` applies it and gives the
      room back to the file system.
      """)

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let installation = try Installation.existing(try folder.path())
    let report = try StorageReport(installation, try folder.settings())
    Console.print(Self.row("KIND", "SIZE", "ROWS", "OLDEST", "KEPT"))
    for kind in report.kinds {
      Console.print(
        Self.row(
          kind.name, ByteSize.text(kind.bytes), kind.rows.map(String.init) ?? "", kind.oldest?.iso ?? "",
          kind.setting ?? ""))
    }
    Console.print("")
    if let servers = try RowServers.read(installation.folder) {
      Console.print("The rows of fine and daily are in \(servers.shards.map { "\($0)" }.joined(separator: ", ")).")
    }
    Console.print(report.disk)
  }

  private static func row(_ name: String, _ size: String, _ rows: String, _ oldest: String, _ kept: String) -> String {
    func left(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let line = left(name, 12) + right(size, 10) + right(rows, 12) + "  " + left(oldest, 12) + kept
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}

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
