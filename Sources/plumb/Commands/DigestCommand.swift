import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Logging
import Outbound
import Storage

/// The command `plumb digest`: prints or sends the daily or weekly summary of apps.
struct DigestCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .html, .slack, .json]

  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Sum up the last day or week of the apps: releases, what broke, incidents, every number with a budget.",
    discussion: """
      Example:
        plumb digest --app com.example.shop
        plumb digest --every day --format html > digest.html
        0 8 * * 1 plumb digest --send --data /var/lib/plumb --config /etc/plumb/plumb.yaml

      It is about whole days that are over, in the app's time zone, beside as many days before. --send delivers to the
      channels that messages of the app are routed to; pagerduty and alertmanager take no digest.

      Exit status: 0, 1 when a channel did not take it, 3 when it could not be made.
      """)

  @Option(help: "The bundle identifier; all apps when it is left out.")
  var app: String?

  enum Every: String, ExpressibleByArgument, CaseIterable {
    case day
    case week

    var period: SummaryPeriod { self == .day ? .day : .week }
  }

  @Option(help: "How much time it sums up: day or week.")
  var every = Every.week

  @Option(help: "The last day, such as 2026-11-20. (default: yesterday)")
  var to: String?

  @Option(help: "Output: text, html (the page of a mail), slack (the body for an incoming webhook) or json.")
  var format = Format<Self>.text

  @Flag(help: "Send it instead of printing it.")
  var send = false

  @Option(help: "With --send: only to this channel; may be repeated.")
  var channel: [String] = []

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @Option(name: .customLong("public-url"), help: "Where people reach the dashboard, for links. (PLUMB_PUBLIC_URL)")
  var publicURL: String?

  @OptionGroup var clock: ClockOptions
  @OptionGroup var folder: FolderOptions

  func validate() throws {
    if !channel.isEmpty, !send { throw ValidationError("--channel needs --send.") }
    if let to, CalendarDay(iso: to) == nil {
      throw ValidationError("--to: expected a day such as 2026-11-20, found \"\(to)\".")
    }
  }

  func run() throws {
    let messages: [AlertMessage]
    let now = clock.now
    let settings = try folder.settings()
    let address = try settings.publicURL(flag: publicURL)
    do {
      let installation = try Installation.existing(try folder.path())
      let builder = try SummaryBuilder(
        installation, budgets: settings.value("budgets", flag: budgets),
        publicURL: address?.description, every.period)
      messages = try builder.messages(for: app, to: to.flatMap(CalendarDay.init(iso:)), now: now)
    } catch {
      Console.complain("could not be made: \(error)")
      throw ExitCode(3)
    }
    guard send else { return messages.forEach(show) }
    let failures = try SummarySender(settings: try settings.alerts(), only: channel).send(
      messages, now: now)
    for (delivery, failure) in failures {
      Console.complain("channel \(delivery.channel): \(failure) (\(delivery.message.title))")
    }
    if !failures.isEmpty { throw ExitCode(1) }
  }

  private func show(_ message: AlertMessage) {
    switch format.value {
    case .html: Console.print(MailFormat.page(message) + [UInt8(ascii: "\n")])
    case .slack: Console.print(SlackFormat.render(message) + [UInt8(ascii: "\n")])
    case .json: Console.print(WebhookFormat.render(message) + [UInt8(ascii: "\n")])
    default: Console.print(Array((PlainTextFormat.render(message) + "\n").utf8))
    }
  }
}

/// `plumb recover-digest`: digests, in a child process of the server, the records that an earlier server was working on
/// when it crashed; hidden from the help. A record that crashed one process may crash another.
struct RecoverDigest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover-digest", abstract: "Digest the records that a process died of.",
    discussion: "Example:\n  plumb recover-digest --data plumb-data --target 'digesting 1200'", shouldDisplay: false)

  @OptionGroup var folder: FolderOptions

  @Option(help: "The line of the marker: how far to go.")
  var target: String

  @Flag(name: .customLong("one-by-one"), help: "Each record in a transaction of its own.")
  var isOneByOne = false

  @Option(name: .customLong("set-aside"), help: "Sequences of records that are not digested, with commas.")
  var setAside: String?

  func run() throws {
    DemangleNames.endWithParent()
    Self.limitMemory()
    guard let target = DigestPosition(marker: target) else { throw ValidationError("--target is no marker.") }
    let installation = try Installation.existing(try folder.path())
    let logger = Logger(label: "plumb") { StreamLogHandler.standardError(label: $0) }
    let sequences = (setAside ?? "").split(separator: ",").compactMap { Int64($0) }
    try installation.recoverDigest(
      to: target, isOneByOne: isOneByOne, settingAside: Set(sequences), logger: logger)
  }

  /// Limits this process to 2 GiB of memory and makes it the first that the kernel kills, so that a record that takes
  /// all memory does not end the server.
  private static func limitMemory() {
    var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    try? "1000".write(toFile: "/proc/self/oom_score_adj", atomically: false, encoding: .utf8)
  }
}

/// The command `plumb redigest`: rebuilds `plumb.db` from a backup and the journal.
struct RedigestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "redigest",
    abstract: "Rebuild plumb.db from a backup and the journal.",
    discussion: """
      Example:
        systemctl stop plumb
        plumb redigest --from /backup/plumb --data /var/lib/plumb
        systemctl start plumb

      For a plumb.db that is lost or damaged while journal.db is whole. The backup's numbers are taken, and every record
      that it lacks is counted from the journal, which keeps records for three days: a backup that is older than that
      leaves a gap, which is refused unless you accept the loss. The old plumb.db is kept beside the new one. Without
      --from, the newest copy in DATA/copies is used.

      Exit status: 0, 2 when nothing was changed.
      """)

  @Option(help: "The backup: a folder or a .tar file. (default: the newest copy that serve keeps)")
  var from: String?

  @Flag(name: .customLong("accept-loss"), help: "Go on without records that neither the backup nor the journal has.")
  var acceptsLoss = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    do {
      let logger = Logger(label: "redigest") { StreamLogHandler.standardError(label: $0) }
      let done = try Redigest(try folder.path()).run(
        from: try from.map(BackupSource.init), acceptsLoss: acceptsLoss, logger: logger)
      let start = done.made.map { "the backup of \($0), through record \(done.before)" } ?? "nothing"
      Console.print("plumb.db was rebuilt from \(start), and the journal through record \(done.applied)")
      if done.lost > 0 { Console.print("\(done.lost) records are lost, and counted as set aside") }
      if let kept = done.kept { Console.print("the old file is kept: \(kept)") }
    } catch let error where !(error is NoDataFolder) {
      Console.complain("nothing was changed: \(error)")
      throw ExitCode(2)
    }
  }
}
