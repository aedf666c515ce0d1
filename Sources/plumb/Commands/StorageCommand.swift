import Analysis
import App
import ArgumentParser
import Core
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
