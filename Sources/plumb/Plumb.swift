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
      Serve.self, AppCommand.self, UserCommand.self, TokenCommand.self, Import.self, Check.self, Compare.self,
      Rollout.self, Lab.self,
      BudgetsCommand.self, SilenceCommand.self, IncidentsCommand.self, GroupsCommand.self, AlertChannelsCommand.self,
      SummaryCommand.self, ReportCommand.self, Render.self, Metrics.self, Demo.self, Migrate.self, Prune.self,
      SymbolsCommand.self, BackupCommand.self, RestoreCommand.self, VerifyCommand.self, RedigestCommand.self,
      VersionCommand.self, AuditCommand.self,
      DeleteCommand.self, StorageCommand.self, ClickHouseMoveCommand.self, MCPCommand.self, Ingest.self,
      NodesCommand.self,
      DemangleNames.self, RecoverDigest.self,
    ])

  /// Runs the command. Exit status 64 means invalid arguments or settings. Exit status 3 means that there is no data
  /// folder, or that its databases have another version.
  static func main() {
    // This runs before arguments are parsed, because the child's sandbox hides /proc, from which Swift reads them.
    if DemangleNames.isChild { return DemangleNames().run() }
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
      exit(withError: error)
    }
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
