public import App
public import ArgumentParser
import Core
import Storage

/// The command `plumb silence`: adds, lists and removes silences of alerts.
struct SilenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "silence", abstract: "Tell nobody for a while: what is known already, or maintenance.",
    discussion: """
      Example:
        plumb silence add --app com.example.shop --release 4.2.0 --for 2d --reason 'fix is in review'

      Incidents open and end as ever. One that is still broken when the silence ends is told of then.
      """, subcommands: [Add.self, List.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Silence incidents for a time, now or later.",
      discussion: """
        Example:
          plumb silence add --app com.example.shop --rule 'p90 launch.first_draw <= 2 s' --for 2d --reason 'fix in 4.2.1'
          plumb silence add --from 2026-12-01T22:00:00Z --until 2026-12-02T02:00:00Z --reason 'the server moves'

        What is not named is not asked for: without --app, --release, --rule and --incident everything is silenced.
        """)

    @Option(help: "The bundle identifier; all apps when it is left out.")
    var app: String?

    @Option(help: "A version (all its builds), or version and build.")
    var release: String?

    @Option(help: "A rule (\(Self.rules)), a metric, or a budget as it is written.")
    var rule: String?

    @Option(help: "The id of the only incident to silence, as `plumb incidents list` shows it.")
    var incident: String?

    @Option(help: "When it starts, such as 2026-12-01T22:00:00Z. (default: now)")
    var from: String?

    @Option(help: "When it ends.")
    var until: String?

    @Option(name: .customLong("for"), help: "How long it lasts, such as 30m, 4h or 2d.")
    var length: TimeSpan?

    @Option(help: "Why, for whoever wonders.")
    var reason: String

    @OptionGroup var folder: FolderOptions

    private static let rules = BreachKey.Rule.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
      guard (until == nil) != (length == nil) else {
        throw ValidationError("Say when it ends: --for 2d, or --until 2026-12-02T02:00:00Z.")
      }
    }

    func run() throws {
      let now = WallClock.now()
      let starts = try from.map { try Self.time($0, "from") } ?? now
      let ends =
        try until.map { try Self.time($0, "until") }
        ?? Timestamp(milliseconds: starts.milliseconds + (length?.milliseconds ?? 0))
      guard ends > now else { throw ValidationError("It has ended already: \(ends.iso).") }
      let installation = try Installation.existing(try folder.path())
      if let incident, try installation.control.incident(incident) == nil {
        throw ValidationError("There is no incident \(incident). `plumb incidents list` shows those that are known.")
      }
      let stored = try installation.control.addSilence(
        Silence(
          app: try app.map { try installation.app($0).id }, release: release, rule: rule,
          incident: incident, starts: starts, ends: ends, reason: reason, created: now))
      Console.print("silence \(stored.id) until \(stored.ends.iso)")
    }

    private static func time(_ text: String, _ name: String) throws -> Timestamp {
      guard let time = Timestamp(iso: text) else {
        throw ValidationError("--\(name): expected a time such as 2026-12-01T22:00:00Z, found \"\(text)\".")
      }
      return time
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the silences that have not ended.", discussion: "Example:\n  plumb silence list")

    @OptionGroup var folder: FolderOptions

    func run() throws {
      let now = WallClock.now()
      let control = try Installation.existing(try folder.path()).control
      let names = Dictionary(try control.apps().map { ($0.id, $0.bundleID) }) { first, _ in first }
      for silence in try control.silences(at: now) {
        let what = [
          silence.app.map { names[$0] ?? "?" } ?? "all apps", silence.release, silence.rule,
          silence.incident.map { "incident \($0)" },
        ].compactMap { $0 }.joined(separator: " · ")
        let state = silence.isActive(at: now) ? "" : " (not yet)"
        Console.print(
          "\(silence.id)  \(silence.starts.iso) to \(silence.ends.iso)\(state)  \(what)  \(silence.reason)")
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a silence now.", discussion: "Example:\n  plumb silence remove 3")

    @Argument(help: "Its number, as `plumb silence list` shows it.")
    var number: Int64

    @OptionGroup var folder: FolderOptions

    func run() throws {
      try Installation.existing(try folder.path()).control.removeSilence(number)
      Console.print("removed \(number)")
    }
  }
}

extension TimeSpan: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
