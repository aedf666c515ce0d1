import App
import ArgumentParser
import Core
import Storage
import Web

/// The command `plumb audit`: shows the audit log.
struct AuditCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Show who changed what, and when.",
    discussion: """
      Example:
        plumb audit --who ana --action group --days 7

      Lists changes to groups, silences, keys, apps, tokens and users, newest first. Entries are kept for 400 days, up \
      to 100,000 entries.
      """)

  @Option(help: "Only changes to this app, by bundle identifier. It may have been removed.")
  var app: String?

  @Option(help: "Only changes by this dashboard user, token or user of this machine.")
  var who: String?

  @Option(help: "Only this action, such as group.resolve, or this kind, such as group or user.")
  var action: String?

  @Option(help: "Only the last N days, from 1 to 400. (default: all)")
  var days: Int?

  @Option(help: "The maximum number of entries, from 1 to 10000.")
  var limit = 100

  @Flag(help: "Print JSON, one entry per line.")
  var json = false

  @OptionGroup var folder: FolderOptions

  func validate() throws {
    guard (1...10_000).contains(limit) else {
      throw ValidationError("--limit: expected 1 to 10000, found \(limit).")
    }
    guard days.map({ (1...400).contains($0) }) ?? true else {
      throw ValidationError("--days: expected 1 to 400, found \(days ?? 0).")
    }
  }

  func run() throws {
    let control = try Installation.existing(try folder.path()).control
    let since = days.map { Timestamp(milliseconds: WallClock.now().milliseconds - Int64($0) * 86_400_000) }
    let entries = try control.auditEntries(
      AuditFilter(app: app, actor: who, action: action, since: since, limit: limit))
    if entries.isEmpty, !json { Console.complain("No entries match.") }
    for entry in entries {
      if json {
        Console.print(entry.json())
      } else {
        let parts = [entry.event.app, entry.event.subject, entry.event.detail.isEmpty ? nil : entry.event.detail]
        // The subject of a change of an app is the app itself.
        let words = parts.compactMap { $0 }.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        Console.print(
          "\(entry.time.iso)  \(entry.actor.kind.rawValue) \(entry.actor.name)  \(entry.event.action)  "
            + words.joined(separator: "  "))
      }
    }
  }
}
