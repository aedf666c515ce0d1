import Analysis
import App
import ArgumentParser
import Core
import Foundation
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
