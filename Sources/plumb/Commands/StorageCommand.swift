import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb storage`: prints the size of each kind of data in the data folder.
struct StorageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "storage", abstract: "Show disk use by kind, and how long each kind is kept.",
    discussion: """
      Example:
        plumb storage --data /var/lib/plumb

      The command reads every page of the databases, which takes a while in a large folder. The settings keep-fine, \
      keep-daily, keep-sessions, keep-diagnostics, keep-samples and keep-journal set the retention. `plumb prune` \
      applies it and returns free space to the file system.
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
    if let servers = try ClickHouseServers.read(installation.folder) {
      let shards = servers.shards.map { "\($0)" }.joined(separator: ", ")
      Console.print("The rows of the kinds fine and daily are in \(shards).")
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
