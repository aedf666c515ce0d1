import Analysis
import Core
import Storage

/// The page about sessions by outcome, by day and by part of the data, and users who crashed.
enum SessionsView {
  /// The page as UTF-8.
  static func render(_ sessions: SessionsModel, _ context: PageContext) -> [UInt8] {
    let page = Page.sessions(app: sessions.app)
    let layout = Layout(
      page: page, title: "Sessions of " + context.name(of: sessions.app), context: context,
      asOf: sessions.asOf,
      footer: "Based on all payloads up to no. \(Decimal.grouped(Int(sessions.digestedThrough))).")
    return layout.render { html in
      html.element("h1", text: "Sessions and users")
      html.element("p", .class("summary"), text: sentence(sessions))
      if let note = sessions.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: sessions.window, slice: sessions.slice, context: context))
      guard sessions.sessions.total > 0 else {
        return html.write(
          EmptyState(
            what:
              "Sessions come from Sentry’s SDK, from OpenTelemetry’s session events, or from native JSON. MetricKit "
              + "does not report sessions.", app: sessions.app, links: layout.links))
      }
      html.write(SessionCharts(page: sessions, links: layout.links))
      html.element("div", .class("pair")) { html in
        html.write(SessionsTable(sessions: sessions.sessions, users: sessions.users))
        html.write(BurnTable(burn: sessions.burn))
      }
      let parts =
        [
          MetricParts(heading: "By release", dimension: "Release", rows: sessions.byRelease, part: .release),
          MetricParts(
            heading: "By device class", dimension: "Device class", rows: sessions.byDeviceClass, part: .deviceClass),
          MetricParts(heading: "By OS version", dimension: "OS version", rows: sessions.bySystem, part: .os),
        ] + MetricParts.byAttribute(sessions.byAttribute)
      for parts in parts {
        html.write(
          BreakdownTable(
            heading: parts.heading, dimension: parts.dimension, rows: parts.rows, direction: .higher,
            noun: "Crash-free", source: page, links: layout.links, part: parts.part))
      }
    }
  }

  private static func sentence(_ page: SessionsModel) -> String {
    let total = page.sessions.total
    guard total > 0 else { return "No sessions in this period." }
    let crashed = page.sessions.counts[.crashed, default: 0]
    let text =
      "\(EventNoun.count(total, of: "sessions.crash_free")), of which \(Decimal.grouped(crashed)) crashed: "
      + "\(Quantity.text(page.sessions.crashFree.estimate, .ratio)) crash-free."
    guard let users = page.users.total, users > 0 else { return text }
    return text
      + " \(EventNoun.count(users, of: "users.crash_free")), of whom \(Decimal.grouped(page.users.crashed ?? 0)) "
      + "had a crash."
  }
}

/// A table of sessions by outcome, and of crash-free users.
struct SessionsTable: Markup {
  var sessions: SessionReport
  var users: UserReport

  func write(to html: inout HTMLWriter) {
    guard sessions.total > 0 else { return }
    html.element("section") { html in
      html.element("h2", text: "Sessions")
      html.write(
        Table("\(Decimal.grouped(sessions.total)) sessions by outcome", of: SessionOutcome.allCases) {
          Column.head("Outcome") { SentenceWords.capitalized($0.name) }
          Column.count("Sessions", count)
          Column.number("Share") { $1.number(Double(count($0)) / Double(sessions.total), .ratio) }
        })
      crashFree(&html)
    }
  }

  private func count(_ outcome: SessionOutcome) -> Int { sessions.counts[outcome, default: 0] }

  private func crashFree(_ html: inout HTMLWriter) {
    let rows = [
      ("Crash-free sessions", sessions.crashFree), ("Crash-free user-days", users.crashFreeDaily),
      ("Crash-free users", users.crashFree), ("Hang-free sessions", sessions.hangFree),
    ]
    html.write(
      Table("Crash-free and hang-free shares", of: rows.filter { $0.1.n > 0 }) {
        Column.head("Share", text: \.0)
        Column.estimate("Value and interval", { _ in .ratio }, \.1.estimate)
        Column.count("n", \.1.n)
      })
  }
}

/// The trend charts of the sessions page.
struct SessionCharts: Markup {
  var page: SessionsModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Crash-free sessions \(words.by)")
      html.write(
        figure(
          "Crash-free sessions \(words.by)", [line("", "first") { $0.sessions.crashFree.estimate }], .ratio, .higher,
          page.budget))
    }
    html.element("section") { html in
      html.element("h2", text: "Sessions and users \(words.per)")
      html.write(
        figure(
          "Sessions and users \(words.per)",
          [
            line("sessions", "first") { Estimate(value: $0.sessions.total > 0 ? Double($0.sessions.total) : nil) },
            line("users", "second") { Estimate(value: $0.users.total.map(Double.init)) },
          ].filter { $0.points.contains { $0.estimate.value != nil } }, .count, .lower))
    }
    html.element("section") { html in
      html.element("h2", text: "Crashed and errored sessions \(words.per)")
      html.write(
        figure(
          "Crashed and errored sessions \(words.per)",
          [outcome(.crashed, "third"), outcome(.abnormal, "second"), outcome(.errored, "first")], .count, .lower))
    }
  }

  private var words: TimeStepWords { TimeStepWords(days: page.days.last?.days ?? 1) }

  private func outcome(_ outcome: SessionOutcome, _ style: StaticString) -> TrendChart.Line {
    line(outcome.name, style) { day in
      Estimate(value: day.sessions.total > 0 ? Double(day.sessions.counts[outcome, default: 0]) : nil)
    }
  }

  private func line(
    _ name: String, _ style: StaticString, _ number: (SessionDay) -> Estimate
  ) -> TrendChart.Line {
    TrendChart.Line(
      name: name, style: style,
      points: page.days.map { TrendPoint(day: $0.day, days: $0.days, estimate: number($0), n: $0.sessions.total) })
  }

  private func figure(
    _ title: String, _ lines: [TrendChart.Line], _ unit: MetricUnit, _ direction: Metric.Direction,
    _ budget: BudgetResult? = nil
  ) -> TrendFigure {
    TrendFigure(
      title: title, lines: lines, unit: unit, direction: direction, target: budget?.target,
      warnTarget: budget?.warnTarget, markers: page.releaseMarkers, source: links.origin, links: links)
  }
}
