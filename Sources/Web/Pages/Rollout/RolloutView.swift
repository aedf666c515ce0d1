import Analysis
import Core
import Storage

/// The page of a rollout: verdict, adoption, vitals with their evidence, and the method.
enum RolloutView {
  /// The page as UTF-8. `base`: the requested release to compare with; nil for the default.
  static func render(_ report: RolloutReport, base: String? = nil, _ context: PageContext) -> [UInt8] {
    let page = Page.rollout(app: report.app, release: report.release, base: base)
    let layout = Layout(
      page: page, title: "Rollout of \(ShortenedName.text(report.release)) · \(context.name(of: report.app))",
      context: context, asOf: report.asOf)
    return layout.render { html in
      html.write(RolloutHeading(release: report.release))
      html.element("p", .class("summary")) { html in
        html.write(RolloutBadge(report))
        html.text(" ")
        html.element(
          "bdi", text: context.budgetError == nil ? report.sentence : "Not judged: the budget file has an error.")
      }
      if let forecast = report.forecast { html.element("p") { $0.element("bdi", text: forecast.sentence) } }
      if let note = report.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(FilterBar(page: page, window: report.window, slice: report.slice, context: context))
      html.write(RolloutBaseForm(app: report.app, release: report.release, base: report.base, context: context))
      html.write(RolloutAdoption(report: report, page: page, links: layout.links))
      html.write(RolloutTable(report: report, links: layout.links))
      let causes = report.vitals.compactMap { vital in vital.causes.map { (vital.plainTitle, $0) } }
      html.write(CausesSection(app: report.app, causes, slice: report.slice, links: layout.links))
      html.write(EvidenceFigure(report: report, page: page, links: layout.links))
      html.element("p", .class("meta"), text: method(report))
    }
  }

  private static func method(_ report: RolloutReport) -> String {
    let base = ShortenedName.text(report.base)
    return
      "The verdict may be looked at on any day and any number of times: a release that is no worse than \(base) is "
      + "halted in at most \(Quantity.limit(RolloutReport.errorRate, .ratio)) of rollouts. A vital counts as worse only "
      + "if it is worse on the same days and also compared with \(base) in its own first days, because sessions right "
      + "after an update differ from later ones. The evidence is the smaller one of both comparisons. Bad events are "
      + "crashes, hangs and the like; for a percentile, values above that percentile on \(base) before the rollout. The "
      + "rollout may continue once nothing is worse or suspicious and the data exclude that a vital is "
      + "\(Decimal.fixed(RolloutVital.excluded, 0)) times as bad as on \(base)."
  }
}

/// The page shown instead of a rollout if there is nothing to compare the release with.
enum ImpossibleRolloutView {
  /// The page as UTF-8. `why`: the reason as a sentence; `base`: the requested release to compare with.
  static func render(
    app: String, release: String, why: String, base: String? = nil, asOf: Timestamp, _ context: PageContext
  ) -> [UInt8] {
    let layout = Layout(
      page: .rollout(app: app, release: release, base: base),
      title: "Rollout of \(ShortenedName.text(release)) · \(context.name(of: app))", context: context, asOf: asOf)
    return layout.render { html in
      html.write(RolloutHeading(release: release))
      html.element("p", .class("summary")) { $0.element("bdi", text: SentenceWords.capitalized(why)) }
      html.write(RolloutBaseForm(app: app, release: release, base: base, context: context))
      html.element("p") { html in
        html.element("a", .href(layout.links.href(.app(app))), text: "Back to the vitals")
      }
    }
  }
}

/// The heading of a rollout's page.
private struct RolloutHeading: Markup {
  var release: String

  func write(to html: inout HTMLWriter) {
    html.element("h1") { html in
      html.text("Rollout of ")
      html.write(Name(release))
    }
  }
}

/// The verdict on a rollout as a word with a symbol.
struct RolloutBadge: Markup {
  var report: RolloutReport

  init(_ report: RolloutReport) { self.report = report }

  func write(to html: inout HTMLWriter) {
    html.element("span", .class("badge", style)) { html in
      html.element("span", Attribute("aria-hidden", literal: "true"), text: symbol)
      html.text(" " + report.verdict.word)
    }
  }

  private var isSuspicious: Bool { report.vitals.contains { $0.state == .suspicious } }

  private var symbol: String {
    switch report.verdict {
    case .continue: "✓"
    case .extend: isSuspicious ? "▲" : "○"
    case .halt: "✕"
    }
  }

  /// The CSS class that gives the colour. A rollout that only lacks data is no warning.
  private var style: StaticString {
    switch report.verdict {
    case .continue: "within"
    case .extend: isSuspicious ? "warning" : "unsure"
    case .halt: "broken"
    }
  }
}

/// A form with a field for the release to compare with.
struct RolloutBaseForm: Markup {
  var app: String
  var release: String
  var base: String?
  var context: PageContext

  private var releases: [String] {
    let known = (context.choices?.releases ?? []).filter { $0 != release }
    guard let base, !known.contains(base) else { return known }
    return [base] + known
  }

  func write(to html: inout HTMLWriter) {
    let page = Page.rollout(app: app, release: release)
    guard context.linkStyle == .served, context.choices != nil, !releases.isEmpty else { return }
    html.element(
      "form", .class("choose"), Attribute("method", literal: "get"),
      Attribute("action", Links(context, from: page).address(page))
    ) { html in
      html.element("label", Attribute("for", literal: "rollout-base"), text: "Compare with")
      html.element("select", Attribute("id", literal: "rollout-base"), Attribute("name", literal: "base")) { html in
        for name in releases {
          html.element(
            "option", Attribute("value", name), name == base ? .flag("selected") : Attribute("class", nil),
            text: ShortenedName.text(name, limit: 48))
        }
      }
      for part in FilterPart.allCases {
        if let value = context.filter[part] {
          html.leaf(
            "input", Attribute("type", literal: "hidden"), Attribute("name", part.name), Attribute("value", value))
        }
      }
      html.element("button", .class("button"), text: "Compare")
    }
  }
}
