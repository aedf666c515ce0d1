import Analysis
import App
import ArgumentParser

/// The command `plumb verify`: says what of a data folder or backup is damaged.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Read the whole data folder, or a backup, and say what is damaged.",
    discussion: """
      Example:
        plumb verify --data /var/lib/plumb
        plumb verify --from /backup/plumb

      Reads every page and row: each database, whether journal and numbers fit together, groups and their diagnostics,
      packed numbers, call stacks, symbols, budgets. A server may run meanwhile, and is slower for it.

      Exit status: 0 when all is whole, 1 when something is damaged, 2 when it could not be read at all.
      """)

  @Option(help: "A backup instead of the data folder: a folder or a .tar file.")
  var from: String?

  @Flag(
    name: .customLong("set-aside"),
    help: "Move damaged rows of plumb.db, with their bytes, to its table quarantine first, so that nothing reads them.")
  var setAside = false

  @OptionGroup var folder: FolderOptions

  func validate() throws {
    if from != nil, setAside { throw ValidationError("--set-aside is for a data folder, not for a backup.") }
  }

  func run() throws {
    let faults: Int
    do {
      faults = try from.map(verifyBackup) ?? verifyFolder()
    } catch let error where !(error is NoDataFolder) {
      Console.complain("could not be verified: \(error)")
      throw ExitCode(2)
    }
    if faults > 0 { throw ExitCode(1) }
  }

  private func verifyBackup(_ path: String) throws -> Int {
    let source = try BackupSource(path)
    let manifest = try source.manifest()
    var bar = ProgressBar("Verify", total: 1000)
    var done = 0
    do {
      try source.verify(manifest) {
        done += $0
        bar.show(done, of: manifest.size)
      }
    } catch {
      Console.print("damaged  \(error)")
      return 1
    }
    Console.print(
      "whole    \(path): \(manifest.files.count) files, \(ByteSize.text(manifest.size)), of \(manifest.made)")
    for omission in manifest.leftOut { Console.print("         without \(omission.path): \(omission.reason)") }
    return 0
  }

  private func verifyFolder() throws -> Int {
    let path = try folder.path()
    if setAside {
      let count = try FolderVerification.setAsideDamage(path)
      Console.print("\(count) damaged rows were set aside")
    }
    var faults = 0
    for part in try FolderVerification(path).run(progress: Console.note) {
      let isWhole = part.faults.isEmpty
      Console.print(
        "\(isWhole ? "whole  " : "damaged")  \(part.name)\(part.summary.isEmpty ? "" : ": " + part.summary)")
      for note in part.notes { Console.print("         \(note)") }
      for fault in part.faults { Console.print("         \(fault)") }
      if !isWhole { Console.print("         → \(part.remedy)") }
      faults += part.faults.count
    }
    return faults
  }
}
