import App
import ArgumentParser

/// The command `plumb restore`: puts a backup into an empty data folder.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put a backup into an empty data folder.",
    discussion: """
      Example:
        systemctl stop plumb && mv /var/lib/plumb/data /var/lib/plumb/broken
        plumb restore --from /backup/plumb --data /var/lib/plumb/data
        systemctl start plumb

      The folder must be empty or not exist: nothing is overwritten. Every file is compared with the backup's manifest
      first. A backup of an older version is brought up to date by `plumb serve`; one of a newer version is refused.

      Exit status: 0, 2 when nothing was restored.
      """)

  @Option(help: "The backup: a folder or a .tar file.")
  var from: String

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let path = try folder.path()
    do {
      var bar = ProgressBar("Restore", total: 1000)
      let restored = try FolderRestore(from: try BackupSource(from), to: path).run {
        bar.show($0, of: $1)
      }
      Console.print("\(path): the state of \(restored.made), through record \(restored.lastRecord)")
      for omission in restored.leftOut {
        Console.complain("not in the backup: \(omission.path): \(omission.reason)")
      }
      if restored.waiting > 0 {
        Console.print("\(restored.waiting) records of its journal are counted when `plumb serve` starts.")
      }
    } catch {
      Console.complain("nothing was restored: \(error)")
      throw ExitCode(2)
    }
  }
}
