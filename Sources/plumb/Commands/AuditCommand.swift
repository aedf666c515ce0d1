import App
import ArgumentParser
import Core
import Storage
import Web

/// The command `plumb audit`: shows who decided what.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Who decided what, and when: groups, silences, keys, apps, tokens, users.",
    discussion: """
      Example:
        plumb audit --app com.example.shop --days 7
        plumb audit --who ana --action group --json

      The newest come first. Entries are kept for 400 days, at most 100,000 of them.
      """)

  @Option(help: "Only decisions about this app, by its bundle identifier; it may have been removed.")
  var app: String?

  @Option(help: "Only decisions of this user, token or user of this machine.")
  var who: String?

  @Option(help: "Only this action, such as group.resolve, or all of a kind, such as group or user.")
  var action: String?

  @Option(help: "Only the last days.")
  var days: Int?

  @Option(help: "The most to list, from 1 to 10000.")
  var limit = 100

  @Flag(help: "As JSON, one entry a line.")
  var json = false

  @OptionGroup var folder: FolderOptions

  func validate() throws {
    guard (1...10_000).contains(limit) else { throw ValidationError("--limit: 1 to 10000.") }
    guard days.map({ (1...400).contains($0) }) ?? true else { throw ValidationError("--days: 1 to 400.") }
  }

  func run() throws {
    let control = try Installation.existing(try folder.path()).control
    let since = days.map { Timestamp(milliseconds: WallClock.now().milliseconds - Int64($0) * 86_400_000) }
    let entries = try control.auditEntries(
      AuditFilter(app: app, actor: who, action: action, since: since, limit: limit))
    if entries.isEmpty, !json { Console.complain("There are no such entries.") }
    for entry in entries {
      if json {
        Console.print(entry.json())
      } else {
        let parts = [entry.event.app, entry.event.subject, entry.event.detail.isEmpty ? nil : entry.event.detail]
        // The subject of a decision about an app is the app.
        let words = parts.compactMap { $0 }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        Console.print(
          "\(entry.time.iso)  \(entry.actor.kind.rawValue) \(entry.actor.name)  \(entry.event.action)  "
            + words.joined(separator: "  "))
      }
    }
  }
}
