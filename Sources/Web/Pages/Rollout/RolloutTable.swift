import Analysis
import Core
import Storage

/// The table of a rollout's vitals: the values of both releases, the ratio of bad events, the evidence and the state.
struct RolloutTable: Markup {
  var report: RolloutReport
  var links: Links

  private var names: (base: String, head: String) {
    (ShortenedName.text(report.base), ShortenedName.text(report.release))
  }

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Vitals")
      guard !report.vitals.isEmpty else {
        return html.element("p", text: "No vital with a budget has data of both releases yet.")
      }
      html.write(
        Table(caption, of: report.vitals, style: "stack lines") {
          Column.head("Metric", content: rowHead)
          Column.number(names.base) { $1.estimate($0.baseValue, $0.unit) }
          Column.number("At the same age", text: \.sameAgeText)
          Column.number(names.head) { vital, html in
            html.estimate(vital.headValue, vital.unit)
            html.literal(" ")
            html.element("span", .class("ci"), text: "n\u{A0}\(Decimal.grouped(vital.n))")
          }
          Column.number("Ratio", text: \.ratioText)
          Column.number("Evidence", text: EvidenceText.ofLimit)
          Column("State", .class("answer"), content: state).named(nil)
        })
    }
  }

  private var caption: String {
    "\(names.head) against \(names.base), \(report.window.text). At the same age: \(names.base) on phones that had updated "
      + "to it as recently as those of \(names.head) have. Ratio: the bad events of \(names.head) for the same use, "
      + "relative to \(names.base), with 95 % intervals that hold at every look"
  }

  private func rowHead(_ vital: RolloutVital, _ html: inout HTMLWriter) {
    html.element("a", .href(metricLinks.href(.metric(app: report.app, name: vital.name)))) {
      $0.write(Name(vital.plainTitle))
    }
  }

  /// Links to metrics filtered to the release and the days of its rollout.
  private var metricLinks: Links {
    var own = links
    own.filter.environment = report.slice.environment
    own.filter.release = report.release
    (own.filter.from, own.filter.to) = (report.window.from, report.window.to)
    return own
  }

  private func state(_ vital: RolloutVital, _ html: inout HTMLWriter) {
    html.element("span", .class("badge", vital.state.style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: vital.state.symbol)
      html.text(" " + vital.state.badgeText)
    }
    html.element("p", .class("why")) { html in
      html.element("bdi", text: SentenceWords.capitalized(vital.explanation(base: names.base)) + ".")
      guard vital.state == .worse || vital.state == .suspicious,
        let guide = Catalogue.metric(named: vital.name)?.guide.flatMap(GuideLibrary.guide)
      else { return }
      html.text(" ")
      html.element("a", .href(links.href(.guide(guide.family))), text: "Guide: \(guide.title)")
    }
  }
}

extension RolloutVital.State {
  /// The state in a few words.
  var badgeText: String {
    switch self {
    case .worse: "Worse"
    case .afterUpdate: "As after the base's update"
    case .suspicious: "Suspicious"
    case .clear: "Not twice as bad"
    case .unknown: "Not enough data"
    }
  }

  var symbol: String {
    switch self {
    case .worse: "✕"
    case .afterUpdate: "="
    case .suspicious: "▲"
    case .clear: "✓"
    case .unknown: "○"
    }
  }

  /// The CSS class that gives the colour.
  var style: StaticString {
    switch self {
    case .worse: "broken"
    case .suspicious: "warning"
    case .afterUpdate, .clear: "within"
    case .unknown: "unsure"
    }
  }
}
