import Analysis
import App
import ArgumentParser

/// The command `plumb`. Its subcommands are in `Commands/`, except `plumb version`.
@main
struct Plumb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plumb",
    abstract: "The vitals of iOS and macOS apps, checked against budgets.",
    discussion: """
      Try it with demo data:
        plumb demo --data demo-data && plumb serve --data demo-data --open

      Use it for your app:
        plumb app add com.example.shop
        plumb serve
      """,
    version: BuildVersion.text,
    subcommands: [
      ServeCommand.self, AppCommand.self, UserCommand.self, TokenCommand.self, ImportCommand.self, CheckCommand.self,
      CompareCommand.self, RolloutCommand.self, LabCommand.self, BudgetsCommand.self, SilenceCommand.self,
      IncidentsCommand.self,
      GroupsCommand.self, ExplainCommand.self, AlertsCommand.self, SummaryCommand.self, ReportCommand.self,
      RenderCommand.self,
      MetricsCommand.self, DemoCommand.self, MigrateCommand.self, PruneCommand.self, SymbolsCommand.self,
      BackupCommand.self, RestoreCommand.self, VerifyCommand.self, RedigestCommand.self, VersionCommand.self,
      AuditCommand.self, DeleteCommand.self, StorageCommand.self, StoreCommand.self, MCPCommand.self,
      IngestCommand.self, NodesCommand.self, PromoteCommand.self, DemangleNamesCommand.self, RecoverDigestCommand.self,
    ])

  /// Runs the command. Exit status 64 means invalid arguments or settings. Exit status 3 means that there is no data
  /// folder, or that its databases have another version.
  static func main() {
    // This runs before arguments are parsed, because the child's sandbox hides /proc, from which Swift reads them.
    if DemangleNamesCommand.isChild { return DemangleNamesCommand().run() }
    var parsed: (any ParsableCommand)?
    do {
      var command = try parseAsRoot()
      parsed = command
      try command.run()
    } catch let error as UsageError {
      endWithUsage(of: parsed, error.description)
    } catch let error as ValidationError where parsed != nil {
      endWithUsage(of: parsed, error.message)
    } catch  where error is NoDataFolder || Installation.isOfAnotherVersion(error) {
      Console.complain("Error: \(error)")
      exit(withError: ExitCode(3))
    } catch {
      exit(withError: explained(error, of: parsed))
    }
  }

  /// The error with its reason, if the command cannot change the folder of a standby.
  private static func explained(_ error: any Error, of command: (any ParsableCommand)?) -> any Error {
    let folders = command.map { Mirror(reflecting: $0).children.compactMap { $0.value as? OptionGroup<FolderOptions> } }
    guard let path = try? folders?.first?.wrappedValue.path() else { return error }
    return Installation.explained(error, in: path)
  }

  /// Prints an error and the usage of the command that found it. ArgumentParser would print that of `plumb`.
  private static func endWithUsage(of command: (any ParsableCommand)?, _ error: String) -> Never {
    let kind = command.map { type(of: $0) } ?? Plumb.self
    Console.complain("Error: \(error)\nUsage: \(usageString(for: kind))")
    exit(withError: ExitCode.validationFailure)
  }
}

/// The command `plumb version`: prints the version of this binary.
struct VersionCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .json]

  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version, commit, libraries and schemas.",
    discussion: "Example:\n  plumb version --format json")

  @Option(help: "Output: text or json.")
  var format = Format<Self>.text

  func run() {
    if format.value == .json { Console.print(BuildVersion.json()) } else { Console.print(BuildVersion.text) }
  }
}
