import Analysis
import App
import ArgumentParser
import Core
import Foundation
import Logging
import Outbound
import Storage

/// The command `plumb digest`: prints or sends a daily or weekly summary of the apps.
struct DigestCommand: ParsableCommand, FormattedCommand {
  static let formats: [OutputFormat] = [.text, .html, .slack, .json]

  static let configuration = CommandConfiguration(
    commandName: "digest",
    abstract: "Print or send a daily or weekly summary.",
    discussion: """
      Example:
        0 8 * * 1 plumb digest --send --config /etc/plumb/plumb.yaml

      The summary lists releases, broken budgets, incidents and all metrics with a budget. It covers complete days in \
      the app's time zone and compares them with the same number of days before. --send delivers it to the channels \
      that the app's messages are routed to, except pagerduty and alertmanager.

      Exit status: 0 printed or sent, 1 a channel failed, 3 the summary could not be created.
      """)

  @Option(help: "The app's bundle identifier. (default: all apps)")
  var app: String?

  enum Every: String, ExpressibleByArgument, CaseIterable {
    case day
    case week

    var period: SummaryPeriod { self == .day ? .day : .week }
  }

  @Option(help: "The period of the summary: day or week.")
  var every = Every.week

  @Option(help: "The last day, such as 2026-11-20. (default: yesterday)")
  var to: String?

  @Option(help: "The output format: text, html (a mail), slack (the body for an incoming webhook) or json.")
  var format = Format<Self>.text

  @Flag(help: "Send the summary instead of printing it.")
  var send = false

  @Option(help: "With --send, only this channel. Repeat the option for several channels.")
  var channel: [String] = []

  @Option(help: "A budget file. (default: DATA/budgets/BUNDLE_ID.yaml, then the built-in budgets)")
  var budgets: String?

  @Option(name: .customLong("public-url"), help: "The dashboard's address, for links in messages. (PLUMB_PUBLIC_URL)")
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
      Console.complain("The summary could not be created: \(error)")
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

/// `plumb recover-digest`: digests the records that an earlier server was working on when it crashed. Hidden from the
/// help. The server runs it as a child process, because a record that crashed one process may crash another.
struct RecoverDigest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover-digest", abstract: "Digest the records on which a process crashed.",
    discussion: "Example:\n  plumb recover-digest --data plumb-data --target 'digesting 1200'", shouldDisplay: false)

  @OptionGroup var folder: FolderOptions

  @Option(help: "The marker's line, which names the last record to digest.")
  var target: String

  @Flag(name: .customLong("one-by-one"), help: "Digest each record in a separate transaction.")
  var isOneByOne = false

  @Option(name: .customLong("set-aside"), help: "Sequences of records to quarantine, separated by commas.")
  var setAside: String?

  func run() throws {
    DemangleNames.endWithParent()
    Self.limitMemory()
    guard let target = DigestPosition(marker: target) else {
      throw ValidationError("--target: expected a marker such as 'digesting 1200', found \"\(target)\".")
    }
    let installation = try Installation.existing(try folder.path())
    let logger = Logger(label: "plumb") { StreamLogHandler.standardError(label: $0) }
    let sequences = (setAside ?? "").split(separator: ",").compactMap { Int64($0) }
    try installation.recoverDigest(
      to: target, isOneByOne: isOneByOne, settingAside: Set(sequences), logger: logger)
  }

  /// Limits this process to 2 GiB of memory and makes it the first that the kernel kills. A record that takes up all
  /// memory then does not end the server.
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

      Use this command when plumb.db is lost or damaged and journal.db is intact. The new plumb.db has the numbers of \
      the backup and those of every later record in the journal, which keeps records for three days. If the backup is \
      older, records between the backup and the journal are missing, and the command needs --accept-loss. The old \
      plumb.db is kept next to the new one.

      Exit status: 0 rebuilt, 2 nothing was changed.
      """)

  @Option(help: "The backup: a folder or a .tar file. (default: the newest copy in DATA/copies)")
  var from: String?

  @Flag(
    name: .customLong("accept-loss"),
    help: "Continue without the records that are in neither the backup nor the journal.")
  var acceptsLoss = false

  @OptionGroup var folder: FolderOptions

  func run() throws {
    do {
      let logger = Logger(label: "redigest") { StreamLogHandler.standardError(label: $0) }
      let done = try Redigest(try folder.path()).run(
        from: try from.map(BackupSource.init), acceptsLoss: acceptsLoss, logger: logger)
      let start = done.made.map { "the backup of \($0), through record \(done.before), and from " } ?? ""
      Console.print("plumb.db was rebuilt from \(start)the journal, through record \(done.applied).")
      if done.lost > 0 { Console.print("\(done.lost) records are lost, and are counted as quarantined.") }
      if let kept = done.kept { Console.print("The old file is kept as \(kept).") }
    } catch let error where !(error is NoDataFolder) {
      Console.complain("Nothing was changed: \(error)")
      throw ExitCode(2)
    }
  }
}
