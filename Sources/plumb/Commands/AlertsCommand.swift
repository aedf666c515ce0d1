import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Outbound
import Storage

/// The command `plumb alerts`: lists and tests alerting channels.
struct AlertsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "The channels that alert messages go to.",
    discussion: "Example:\n  plumb alerts test team", subcommands: [Channels.self, Test.self])

  struct Channels: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the channels of the settings, and whether their secrets can be read.",
      discussion: """
        Example:
          plumb alerts channels --config /etc/plumb/plumb.yaml

        Status 1: a secret cannot be read, so that its channel would get nothing.
        """)

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let settings = try folder.settings().alerts()
      let variables = ProcessInfo.processInfo.environment
      var isReadable = true
      for channel in settings.channels {
        let isDefault = settings.defaultChannels.contains(channel.name) ? "  default" : ""
        Console.print("\(channel.name)  \(channel.kindName)\(isDefault)")
        let problems = channel.secretProblems(environment: variables)
        for problem in problems { Console.print("  \(problem)") }
        isReadable = isReadable && problems.isEmpty
      }
      if settings.channels.isEmpty { Console.complain("There are no channels: the settings have no section alerts.") }
      guard isReadable else { throw ExitCode(1) }
    }
  }

  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a message that says it is a test, and its end, to one channel or to all.",
      discussion: "Example:\n  plumb alerts test team\n\nStatus 1: a channel did not take it.")

    @Argument(help: "The name of a channel. (default: every channel)")
    var channel: String?

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let settings = try folder.settings().alerts()
      let names = settings.channels.map(\.name).filter { channel == nil || $0 == channel }
      guard !names.isEmpty else {
        let known = settings.channels.map(\.name).joined(separator: ", ")
        throw ValidationError(
          (channel.map { "There is no channel \($0) in the settings. " } ?? "")
            + (known.isEmpty ? "The settings have no channels." : "Known are \(known)."))
      }
      let dispatcher = Dispatcher(channels: settings.channels, environment: ProcessInfo.processInfo.environment)
      let results = try names.map { try test($0, dispatcher) }
      if results.contains(false) { throw ExitCode(1) }
    }

    /// Sends the test message to one channel and prints the result. False if it failed.
    private func test(_ name: String, _ dispatcher: Dispatcher) throws -> Bool {
      if let (_, failure) = try dispatcher.sendTest(to: name, now: WallClock.now()).first {
        Console.print("\(name): \(failure)")
        return false
      }
      Console.print("\(name): delivered")
      return true
    }
  }
}

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
