import Analysis
import App
import ArgumentParser
import Core
import Storage

/// The command `plumb incidents`: lists incidents.
struct IncidentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "incidents", abstract: "List incidents and show their evidence.",
    discussion: "Example:\n  plumb incidents list", subcommands: [List.self, Show.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List open and recently ended incidents.",
      discussion: "Example:\n  plumb incidents list --app com.example.shop --days 7")

    @Option(help: "The app's bundle identifier. (default: all apps)")
    var app: String?

    @Option(help: "Include incidents that ended in the last N days, from 0 to 400.")
    var days = 28

    @OptionGroup var folder: FolderOptions

    func validate() throws {
      guard (0...400).contains(days) else { throw ValidationError("--days: expected 0 to 400, found \(days).") }
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
      abstract: "Show an incident with its evidence.", discussion: "Example:\n  plumb incidents show 3f2a9c01d4e5b678")

    @Argument(help: "The incident's id, as in `plumb incidents list` and in messages.")
    var incident: String

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let control = try Installation.existing(try folder.path()).control
      guard let found = try control.incident(incident) else {
        throw UserFacingError("There is no incident \(incident). `plumb incidents list` lists the incidents.")
      }
      let app = try control.apps().first { $0.id == found.app }?.bundleID
      for line in IncidentText.lines(found, app: app) { Console.print(line) }
    }
  }
}
