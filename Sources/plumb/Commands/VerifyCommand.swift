import Analysis
import App
import ArgumentParser

/// The command `plumb verify`: checks a data folder or a backup for damage.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check a data folder or a backup for damage.",
    discussion: """
      Example:
        plumb verify --data /var/lib/plumb

      Reads every page and row of the databases, and checks that the journal matches the numbers, and that groups, \
      diagnostics, packed numbers, call stacks, symbols and budgets can be read. A server can keep running, but is \
      slower during the check.

      Exit status: 0 no damage, 1 damage found, 2 could not be read.
      """)

  @Option(help: "A backup to check instead of the data folder: a folder or a .tar file.")
  var from: String?

  @Flag(
    name: .customLong("set-aside"),
    help: "Quarantine damaged rows of plumb.db first: move their bytes to the table quarantine.")
  var setAside = false

  @OptionGroup var folder: FolderOptions

  func validate() throws {
    if from != nil, setAside { throw ValidationError("--set-aside works on a data folder only: leave out --from.") }
  }

  func run() throws {
    let faults: Int
    do {
      faults = try from.map(verifyBackup) ?? verifyFolder()
    } catch let error where !(error is NoDataFolder) {
      Console.complain("could not verify: \(error)")
      throw ExitCode(2)
    }
    if faults > 0 { throw ExitCode(1) }
  }

  private func verifyBackup(_ path: String) throws -> Int {
    let source = try BackupReader(path)
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
      "intact   \(path): \(manifest.files.count) files, \(ByteSize.text(manifest.size)), created \(manifest.made)")
    for omission in manifest.leftOut { Console.print("         without \(omission.path): \(omission.reason)") }
    return 0
  }

  private func verifyFolder() throws -> Int {
    let path = try folder.path()
    if setAside {
      let count = try FolderVerification.quarantineDamage(path)
      Console.print("\(count) damaged rows were quarantined")
    }
    var faults = 0
    for part in try FolderVerification(path).run(progress: Console.note) {
      let isWhole = part.faults.isEmpty
      Console.print(
        "\(isWhole ? "intact " : "damaged")  \(part.name)\(part.summary.isEmpty ? "" : ": " + part.summary)")
      for note in part.notes { Console.print("         \(note)") }
      for fault in part.faults { Console.print("         \(fault)") }
      if !isWhole { Console.print("         → \(part.remedy)") }
      faults += part.faults.count
    }
    return faults
  }
}
