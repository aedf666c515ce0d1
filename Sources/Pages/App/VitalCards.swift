import HTML
import Health
import Storage

/// One budget: its verdict, the number with interval and n, and its trend over the window.
struct VitalCard: Markup {
  var app: String
  /// The days of the page.
  var window: Window
  var vital: Vital
  var links: Links

  private var result: BudgetResult { vital.result }

  func write(to html: inout HTMLWriter) {
    let verdict = Optional(result.verdict)
    html.element("article", .class("card", verdict.style)) { html in
      html.element("header") { html in
        html.element("h3") { html in
          html.element("a", .href(links.href(.metric(app: app, name: result.metric)))) {
            $0.write(Name(vital.title))
          }
        }
        html.write(VerdictBadge(verdict))
      }
      html.write(BudgetFigure(result: result))
      html.write(BudgetLine(result: result, window: window, namesMetric: false))
      chart(&html)
      if result.verdict == .broken || result.verdict == .warning {
        html.write(
          AdviceLine(
            advice: vital.advice, guide: vital.guide, links: links,
            firstLook: FirstLook(metric: result.metric, app: app, release: nil, links: links)))
      }
    }
  }

  /// The page whose data the card links to. Static files cannot be filtered by release, so there it is the release's
  /// page.
  private var source: Page {
    if links.style == .files, links.origin.definition == ReleasePage.self { return links.origin }
    return .metric(app: app, name: result.metric)
  }

  private func chart(_ html: inout HTMLWriter) {
    guard vital.trend.contains(where: { $0.estimate.value != nil }) else { return }
    let name = PlainName.text(result.statistic ?? "")
    let lines = [TrendChart.Line(name: name, style: "first", points: vital.trend)]
    let title = "\(PlainName.text(vital.title)) \(StepWords(vital.trend).by)"
    html.element("figure") { html in
      html.write(
        TrendChart(
          title: title, lines: lines, unit: result.unit, direction: result.direction, target: result.target,
          warnTarget: result.warnTarget, frame: .card))
      html.write(
        TrendTable(
          caption: title, lines: lines, unit: result.unit, source: source, hasTable: source != links.origin,
          links: links))
    }
  }
}

/// The budgets that matter most, one card each.
struct VitalCards: Markup {
  var app: String
  /// The days of the page.
  var window: Window
  var vitals: [Vital]
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !vitals.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Vitals")
      html.element("div", .class("cards")) { html in
        for vital in vitals { html.write(VitalCard(app: app, window: window, vital: vital, links: links)) }
      }
    }
  }
}

/// Which budgets an app's page shows as cards, and in which order.
enum VitalOrder {
  /// Sorts crash-free rates, launches, hangs and memory first. Within a family the order stays.
  static func sorted(_ vitals: [Vital]) -> [Vital] {
    vitals.enumerated().sorted {
      (family($0.element), $0.offset) < (family($1.element), $1.offset)
    }.map(\.element)
  }

  /// Splits the results: the first families and everything broken or in warning become cards, at most sixteen; the rest
  /// goes into a table.
  static func split(_ vitals: [Vital]) -> (cards: [Vital], rest: [Vital]) {
    var cards: [Vital] = []
    var rest: [Vital] = []
    for vital in sorted(vitals) {
      let matters = family(vital) < 4 || vital.result.verdict == .broken || vital.result.verdict == .warning
      if matters, cards.count < 16 { cards.append(vital) } else { rest.append(vital) }
    }
    return (cards, rest)
  }

  private static func family(_ vital: Vital) -> Int {
    let name = vital.result.metric.prefix { $0 != "." }
    switch name {
    case "sessions", "users", "exits": return 0
    case "launch": return 1
    case "hang": return 2
    case "memory": return 3
    default: return 4
    }
  }
}
