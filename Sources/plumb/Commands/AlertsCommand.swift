import App
import ArgumentParser
import Foundation
import Outbound

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
