import App
import ArgumentParser
import Core
import Storage

/// The command `plumb silence`: adds, lists and removes silences.
struct SilenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "silence", abstract: "Mute alerts for known problems or maintenance.",
    discussion: """
      Example:
        plumb silence add --app com.example.shop --for 2d --reason 'fix in review'

      Incidents still open and end. If an incident is still open when the silence ends, its alert is sent then.
      """, subcommands: [Add.self, List.self, Remove.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Silence incidents, now or at a later time.",
      discussion: """
        Example:
          plumb silence add --app com.example.shop --for 2d --reason 'fix in 4.2.1' \\
            --rule 'p90 launch.first_draw <= 2 s'

        Without --app, --release, --rule and --incident, the silence covers all incidents.
        """)

    @Option(help: "Only this app, by bundle identifier. (default: all apps)")
    var app: String?

    @Option(help: "Only this release: 4.2.0 with all its builds, or '4.2.0 (1234)'.")
    var release: String?

    @Option(help: "Only this rule (\(Self.rules)), this metric, or this budget as written in the budget file.")
    var rule: String?

    @Option(help: "Only this incident, by its id in `plumb incidents list`.")
    var incident: String?

    @Option(help: "When the silence starts, such as 2026-12-01T22:00:00Z. (default: now)")
    var from: String?

    @Option(help: "When the silence ends, such as 2026-12-02T02:00:00Z.")
    var until: String?

    @Option(name: .customLong("for"), help: "How long the silence lasts, such as 30m, 4h or 2d.")
    var length: DurationSetting?

    @Option(help: "The reason, for other readers of the list.")
    var reason: String

    @OptionGroup var folder: FolderOptions

    private static let rules = BreachKey.Rule.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
      guard (until == nil) != (length == nil) else {
        throw ValidationError("Give either --for, such as 2d, or --until, such as 2026-12-02T02:00:00Z.")
      }
    }

    func run() throws {
      let now = WallClock.now()
      let starts = try from.map { try Self.time($0, "from") } ?? now
      let ends =
        try until.map { try Self.time($0, "until") }
        ?? Timestamp(milliseconds: starts.milliseconds + (length?.milliseconds ?? 0))
      guard ends > now else { throw ValidationError("The silence would end in the past, at \(ends.iso).") }
      let installation = try Installation.existing(try folder.path())
      if let incident, try installation.control.incident(incident) == nil {
        throw ValidationError("--incident: there is no incident \(incident). `plumb incidents list` lists them.")
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
      abstract: "List current and future silences.", discussion: "Example:\n  plumb silence list")

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
        let state = silence.isActive(at: now) ? "" : " (not started)"
        Console.print(
          "\(silence.id)  \(silence.starts.iso) to \(silence.ends.iso)\(state)  \(what)  \(silence.reason)")
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a silence now.", discussion: "Example:\n  plumb silence remove 3")

    @Argument(help: "The silence's number in `plumb silence list`.")
    var number: Int64

    @OptionGroup var folder: FolderOptions

    func run() throws {
      try Installation.existing(try folder.path()).control.removeSilence(number)
      Console.print("removed \(number)")
    }
  }
}
