import App
import ArgumentParser

/// The command `plumb`. Its subcommands are in `Commands/`, a file each.
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
    version: "0.1.0",
    subcommands: [
      Serve.self, AppCommand.self, UserCommand.self, TokenCommand.self, Import.self, Check.self, Compare.self,
      BudgetsCommand.self, SilenceCommand.self, IncidentsCommand.self, GroupsCommand.self, AlertsCommand.self,
      DigestCommand.self, ReportCommand.self, Render.self, Metrics.self, Demo.self, Migrate.self, Prune.self,
      SymbolsCommand.self,
      DemangleNames.self, RecoverDigest.self,
    ])

  /// Exit statuses: 64 for arguments and settings that cannot be used, 3 for databases of another version, which could
  /// not be evaluated.
  static func main() {
    // Before arguments are parsed: the child's sandbox hides /proc, from which Swift reads them.
    if DemangleNames.isChild { return DemangleNames().run() }
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as UsageError {
      exit(withError: ValidationError(error.description))
    } catch  where Installation.isOfAnotherVersion(error) {
      Console.complain("Error: \(error)")
      exit(withError: ExitCode(3))
    } catch {
      exit(withError: error)
    }
  }
}
