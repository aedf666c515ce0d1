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

      For a plumb.db that is lost or damaged while journal.db is whole. The backup's numbers are taken, and every record
      that it lacks is counted from the journal, which keeps records for three days: a backup that is older than that
      leaves a gap, which is refused unless you accept the loss. The old plumb.db is kept beside the new one. Without
      --from, the newest copy in DATA/copies is used.

      Exit status: 0, 2 when nothing was changed.
      """)

  @Option(help: "The backup: a folder or a .tar file. (default: the newest copy that serve keeps)")
  var from: String?

  @Flag(name: .customLong("accept-loss"), help: "Go on without records that neither the backup nor the journal has.")
  var acceptsLoss = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    do {
      let logger = Logger(label: "redigest") { StreamLogHandler.standardError(label: $0) }
      let done = try Redigest(try folder.path()).run(
        from: try from.map(BackupSource.init), acceptsLoss: acceptsLoss, logger: logger)
      let start = done.made.map { "the backup of \($0), through record \(done.before)" } ?? "nothing"
      Console.print("plumb.db was rebuilt from \(start), and the journal through record \(done.applied)")
      if done.lost > 0 { Console.print("\(done.lost) records are lost, and counted as set aside") }
      if let kept = done.kept { Console.print("the old file is kept: \(kept)") }
    } catch let error where !(error is NoDataFolder) {
      Console.complain("nothing was changed: \(error)")
      throw ExitCode(2)
    }
  }
}
