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
      footer: "Payloads up to number \(Decimal.grouped(Int(sessions.digestedThrough))).")
    return layout.render { html in
      html.element("h1", text: "Sessions and users")
      html.element("p", .class("summary"), text: sentence(sessions))
      if let note = sessions.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: sessions.window, slice: sessions.slice, context: context))
      guard sessions.sessions.total > 0 else {
        return html.write(
          EmptyState(
            what:
              "Sessions come from Sentry’s SDK, from OpenTelemetry’s session events, or from native JSON; MetricKit "
              + "has none.", app: sessions.app, links: layout.links))
      }
      html.write(SessionCharts(page: sessions, links: layout.links))
      html.element("div", .class("pair")) { html in
        html.write(SessionTable(sessions: sessions.sessions, users: sessions.users))
        html.write(BurnTable(burn: sessions.burn))
      }
      let attribute = MetricParts(sessions.byAttribute)
      let parts: [(String, String, [Breakdown], FilterPart)] = [
        ("By release", "Release", sessions.byRelease, .release),
        ("By devices", "Devices", sessions.byDeviceClass, .deviceClass),
        ("By system", "System", sessions.bySystem, .os),
        (attribute.heading, attribute.dimension, attribute.rows, attribute.part),
      ]
      for (title, dimension, rows, part) in parts {
        html.write(
          BreakdownTable(
            heading: title, dimension: dimension, rows: rows, direction: .higher, noun: "Crash-free", source: page,
            links: layout.links, part: part))
      }
    }
  }

  private static func sentence(_ page: SessionsModel) -> String {
    let total = page.sessions.total
    guard total > 0 else { return "No sessions in these days." }
    let crashed = page.sessions.counts[.crashed, default: 0]
    let text =
      "\(EventNoun.count(total, of: "sessions.crash_free")), \(Decimal.grouped(crashed)) of them crashed: "
      + "\(Quantity.text(page.sessions.crashFree.estimate, .ratio)) crash-free."
    guard let users = page.users.total, users > 0 else { return text }
    return text
      + " \(EventNoun.count(users, of: "users.crash_free")), \(Decimal.grouped(page.users.crashed ?? 0)) of them "
      + "saw a crash."
  }
}
