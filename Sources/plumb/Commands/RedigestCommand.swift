import App
import ArgumentParser
import Logging

/// The command `plumb redigest`: rebuilds `plumb.db` from a backup and the journal.
struct RedigestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redigest",
    abstract: "Rebuild plumb.db from a backup and the journal.",
    discussion: """
      Example:
        systemctl stop plumb
        plumb redigest --from /backup/plumb --data /var/lib/plumb
        systemctl start plumb

      Use this command when plumb.db is lost or damaged and journal.db is intact. The new plumb.db has the numbers of \
      the backup and those of every later record in the journal, which keeps records for three days. If the backup is \
      older, records between the backup and the journal are missing, and the command needs --accept-loss. The old \
      plumb.db is kept next to the new one.

      Exit status: 0 rebuilt, 2 nothing was changed.
      """)

  @Option(help: "The backup: a folder or a .tar file. (default: the newest copy in DATA/copies)")
  var from: String?

  @Flag(
    name: .customLong("accept-loss"),
    help: "Continue without the records that are in neither the backup nor the journal.")
  var acceptsLoss = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    do {
      let logger = Logger(label: "redigest") { StreamLogHandler.standardError(label: $0) }
      let done = try Redigest(try folder.path()).run(
        from: try from.map(BackupReader.init), acceptsLoss: acceptsLoss, logger: logger)
      let start = done.made.map { "the backup of \($0), through record \(done.before), and from " } ?? ""
      Console.print("plumb.db was rebuilt from \(start)the journal, through record \(done.applied).")
      if done.lost > 0 { Console.print("\(done.lost) records are lost, and are counted as quarantined.") }
      if let kept = done.kept { Console.print("The old file is kept as \(kept).") }
    } catch let error where !(error is NoDataFolder) {
      Console.complain("Nothing was changed: \(error)")
      throw ExitCode(2)
    }
  }
}
