import App
import ArgumentParser

/// The command `plumb restore`: puts a backup into an empty data folder.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a backup into an empty data folder.",
    discussion: """
      Example:
        systemctl stop plumb
        mv /var/lib/plumb/data /var/lib/plumb/broken
        plumb restore --from /backup/plumb --data /var/lib/plumb/data
        systemctl start plumb

      The folder must be empty or missing; nothing is overwritten. Every file is first compared with the backup's \
      manifest. `plumb serve` upgrades a backup of an older version. A backup of a newer version is refused.

      Exit status: 0 restored, 2 nothing was restored.
      """)

  @Option(help: "The backup: a folder or a .tar file.")
  var from: String

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let path = try folder.path()
    do {
      var bar = ProgressBar("Restore", total: 1000)
      let restored = try FolderRestore(from: try BackupReader(from), to: path).run {
        bar.show($0, of: $1)
      }
      Console.print("\(path): the state of \(restored.made), through record \(restored.lastRecord)")
      for omission in restored.leftOut {
        Console.complain("not in the backup: \(omission.path): \(omission.reason)")
      }
      if restored.waiting > 0 {
        Console.print("\(restored.waiting) records in its journal are digested when `plumb serve` starts.")
      }
    } catch {
      Console.complain("Nothing was restored: \(error)")
      throw ExitCode(2)
    }
  }
}
