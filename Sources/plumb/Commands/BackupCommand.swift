import Analysis
import App
import ArgumentParser
import Foundation

/// The command `plumb backup`: copies a data folder, even while a server uses it.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Back up the data folder, even while a server is running.",
    discussion: """
      Example:
        plumb backup --to /backup/plumb-2026-11-20.tar

      The backup is one consistent set: all databases, symbols, budgets and the secret, with a manifest of sizes and \
      checksums. It is read back before it is renamed to its final name. A name that ends with .tar creates one file, \
      any other name a folder. An earlier backup in that folder is replaced, and unchanged symbols are not copied \
      again. A backup contains the secret and is not encrypted: restrict access to it.

      Exit status: 0 complete, 1 something was left out and is listed, 2 no backup was made.
      """)

  @Option(help: "The folder or .tar file to write.")
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
      Console.complain("No backup was made: \(error)")
      throw ExitCode(2)
    }
    Console.print(
      "\(to): \(made.files.count) files, \(ByteSize.text(made.size)), through record \(made.lastRecord)"
        + (made.waiting > 0 ? "; its last \(made.waiting) records will be digested after a restore" : ""))
    for omission in made.leftOut { Console.complain("left out: \(omission.path): \(omission.reason)") }
    if !made.leftOut.isEmpty { throw ExitCode(1) }
  }
}
