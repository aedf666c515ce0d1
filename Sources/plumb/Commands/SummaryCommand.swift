import Analysis
import App
import ArgumentParser
import Core
import Outbound
import Storage

/// The command `plumb digest`: prints or sends a daily or weekly summary of the apps.
struct SummaryCommand: ParsableCommand, FormattedCommand {
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
