import Analysis
import App
import ArgumentParser

/// The command `plumb`. Its subcommands are in `Commands/`, one file each, but for `plumb version`.
@main
struct Plumb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb",
    abstract: "Vitals of iOS and macOS apps: what devices measured, judged against budgets.",
    discussion: """
      A first look, with a made-up fleet:
        plumb demo --data demo-data && plumb serve --data demo-data --open

      Your own app:
        plumb app add com.example.shop
        plumb serve
      """,
    version: BuildVersion.text,
    subcommands: [
      Serve.self, AppCommand.self, UserCommand.self, TokenCommand.self, Import.self, Check.self, Compare.self,
      BudgetsCommand.self, SilenceCommand.self, IncidentsCommand.self, GroupsCommand.self, AlertsCommand.self,
      DigestCommand.self, ReportCommand.self, Render.self, Metrics.self, Demo.self, Migrate.self, Prune.self,
      SymbolsCommand.self, BackupCommand.self, RestoreCommand.self, VerifyCommand.self, RedigestCommand.self,
      VersionCommand.self, AuditCommand.self,
      DeleteCommand.self, StorageCommand.self, StoreCommand.self, MCPCommand.self, Ingest.self, NodesCommand.self,
      DemangleNames.self, RecoverDigest.self,
    ])

  /// Runs the command. Exit status 64 means invalid arguments or settings; 3 means no data folder, or databases
  /// of another version, so that nothing could be evaluated.
  static func main() {
    // Before arguments are parsed: the child's sandbox hides /proc, which Swift reads them from.
    if DemangleNames.isChild { return DemangleNames().run() }
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as UsageError {
      exit(withError: ValidationError(error.description))
    } catch  where error is NoDataFolder || Installation.isOfAnotherVersion(error) {
      Console.complain("Error: \(error)")
      exit(withError: ExitCode(3))
    } catch {
      exit(withError: error)
    }
  }
}

/// The command `plumb version`: prints what this binary is.
struct VersionCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .json]

  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "The version, the commit it was built from, libraries and schemas.",
    discussion: "Example:\n  plumb version\n  plumb version --format json")

  @Option(help: "Output: text or json.")
  var format = Format<Self>.text

  func run() {
    if format.value == .json { Console.print(BuildVersion.json()) } else { Console.print(BuildVersion.text) }
  }
}
