import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Outbound
import Storage

/// The command `plumb alerts`: lists and tests alert channels.
struct AlertsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alerts", abstract: "List and test the alert channels.",
    discussion: "Example:\n  plumb alerts test team", subcommands: [Channels.self, Test.self])

  struct Channels: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the channels and check that secrets can be read.",
      discussion: """
        Example:
          plumb alerts channels --config /etc/plumb/plumb.yaml

        Exit status: 0 all secrets can be read, 1 a channel's secret cannot be read.
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
      if settings.channels.isEmpty {
        Console.complain("The settings have no channels. Add a section `alerts:` (docs/alerting-channels.md).")
      }
      guard isReadable else { throw ExitCode(1) }
    }
  }

  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a test alert and its end message to one or all channels.",
      discussion: "Example:\n  plumb alerts test team\n\nExit status: 0 delivered, 1 a channel failed.")

    @Argument(help: "The name of a channel. (default: all channels)")
    var channel: String?

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let settings = try folder.settings().alerts()
      let names = settings.channels.map(\.name).filter { channel == nil || $0 == channel }
      guard !names.isEmpty else {
        let known = settings.channels.map(\.name).joined(separator: ", ")
        throw ValidationError(
          (channel.map { "There is no channel \($0) in the settings. " } ?? "")
            + (known.isEmpty
              ? "The settings have no channels. Add a section `alerts:` (docs/alerting-channels.md)."
              : "The channels are \(known)."))
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
