import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb incidents`: lists incidents.
struct IncidentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "incidents", abstract: "What is broken, and what was.",
    discussion: "Example:\n  plumb incidents list", subcommands: [List.self, Show.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List open incidents, and those that ended lately.",
      discussion: "Example:\n  plumb incidents list --app com.example.shop --days 7")

    @Option(help: "The bundle identifier; all apps when it is left out.")
    var app: String?

    @Option(help: "How many days back to look for those that ended.")
    var days = 28

    @OptionGroup var folder: FolderOptions

    func validate() throws {
      guard (0...400).contains(days) else { throw ValidationError("--days: 0 to 400.") }
    }

    func run() throws {
      let installation = try Installation.existing(try folder.path())
      let since = Timestamp(milliseconds: WallClock.now().milliseconds - Int64(days) * 86_400_000)
      let own = try app.map { try installation.app($0).id }
      let names = Dictionary(try installation.control.apps().map { ($0.id, $0.bundleID) }) { first, _ in first }
      for incident in try installation.control.incidents(of: own, closedAfter: since) {
        Console.print(IncidentText.line(incident, app: names[incident.app]))
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show one incident with its evidence.", discussion: "Example:\n  plumb incidents show 3f2a9c01d4e5b678")

    @Argument(help: "Its name, as the list and every message show it.")
    var incident: String

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let control = try Installation.existing(try folder.path()).control
      guard let found = try control.incident(incident) else {
        throw UserFacingError("There is no incident \(incident). `plumb incidents list` shows those that are known.")
      }
      let app = try control.apps().first { $0.id == found.app }?.bundleID
      for line in IncidentText.lines(found, app: app) { Console.print(line) }
    }
  }
}
