import Analysis
import App
import ArgumentParser
import Foundation

/// The command `plumb backup`: copies a data folder while a server uses it.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up the data folder, also while a server uses it.",
    discussion: """
      Example:
        plumb backup --to /backup/plumb
        plumb backup --to /backup/plumb-2026-11-20.tar

      The backup is one consistent set: all databases, symbols, budgets and the secret, with a manifest of their sizes
      and checksums. It is read back before it gets its name. A name that ends with .tar makes one file, any other a
      folder; a folder that holds an earlier backup is replaced, and symbols that did not change are not copied again.
      Whoever can read a backup can read everything in it.

      Exit status: 0, 1 when something was left out (it says what), 2 when there is no backup.
      """)

  @Option(help: "The folder, or the .tar file, to make.")
  var to: String

  @OptionGroup var folder: FolderOptions

  func run() throws {
    let path = try folder.path()
    let made: BackupManifest
    do {
      let backup = try FolderBackup(path)
      var bar = ProgressBar("Backup", total: 1000)
      made = try backup.run(to: to, now: Date()) { bar.show($0, of: $1) }
    } catch let error where !(error is NoDataFolder) {
      Console.complain("no backup was made: \(error)")
      throw ExitCode(2)
    }
    Console.print(
      "\(to): \(made.files.count) files, \(ByteSize.text(made.size)), through record \(made.lastRecord)"
        + (made.waiting > 0 ? ", of which \(made.waiting) are counted after a restore" : ""))
    for omission in made.leftOut { Console.complain("left out: \(omission.path): \(omission.reason)") }
    if !made.leftOut.isEmpty { throw ExitCode(1) }
  }
}

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
