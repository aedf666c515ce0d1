@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// Cards, badges and advice.
extension GoldenTests {
  private static func budget(_ index: Int, _ trend: [TrendPoint] = Fleet.launchDays) -> JudgedBudget {
    var budget = Fleet.budgets[index]
    (budget.trend, budget.trendBefore) = (trend, [])
    return budget
  }

  private static func card(_ budget: JudgedBudget, _ links: Links = links) -> [UInt8] {
    markup { $0.write(VitalCard(app: Fleet.app, judgement: Fleet.judgement, budget: budget, links: links)) }
  }

  private static func advice(_ advice: Judgement.Advice) -> Judgement {
    let verdict: Verdict =
      switch advice {
      case .hold: .broken
      case .watch: .warning
      case .ship: .within
      case .wait: .notEnoughData
      }
    return Fleet.judgement(of: Fleet.bad, [verdict])
  }

  static let cards: [Component] = [
    Component(name: "verdict-badges") {
      markup { html in
        for verdict in Verdict.allCases { html.write(VerdictBadge(verdict)) }
        html.write(VerdictBadge(nil))
      }
    },
    Component(name: "verdict-counts") {
      markup { html in
        html.write(VerdictCounts(counts: [.within: 9, .broken: 2, .notEnoughData: 1]))
        html.write(VerdictCounts(counts: [:]))
      }
    },
    Component(name: "share-bars") {
      markup { html in for share in [nil, -0.4, 0.412, 1.2] { html.write(ShareBar(share)) } }
    },
    Component(name: "vital-card-within") { card(budget(2)) },
    Component(name: "vital-card-broken") { card(budget(8, [])) },
    Component(name: "vital-card-few") { card(budget(4, [])) },
    Component(name: "vital-card-before") {
      var own = budget(2)
      own.trendBefore = Fleet.points([1200, 1210, nil, 1230, nil])
      return card(own)
    },
    Component(name: "vital-card-three-sessions") {
      var own = budget(0, [])
      (own.result.value, own.result.low, own.result.high, own.result.n) = (2.0 / 3, nil, nil, 3)
      own.result.verdict = .notEnoughData
      return card(own)
    },
    Component(name: "vital-card-file") { card(budget(0, Fleet.points([0.997, 0.996, nil, 0.99, 0.992])), files) },
    Component(name: "budget-card") {
      markup { $0.write(BudgetCard(result: Fleet.budgets[5].result, window: Fleet.fiveDays)) }
    },
    Component(name: "advice-badges") {
      markup { html in
        for advice in [Judgement.Advice.hold, .watch, .ship, .wait] { html.write(AdviceBadge(Self.advice(advice))) }
      }
    },
    Component(name: "app-card-broken") { markup { $0.write(AppCard(app: Fleet.overview.apps[1], links: links)) } },
    Component(name: "app-card-stale") { markup { $0.write(AppCard(app: Fleet.overview.apps[2], links: links)) } },
    Component(name: "app-card-new") { markup { $0.write(AppCard(app: Fleet.overview.apps[4], links: links)) } },
    Component(name: "advice-card") {
      markup {
        $0.write(
          AdviceCard(
            advice: "Look.", guide: "hangs", links: links,
            firstLook: FirstLook(metric: "hang.rate", app: Fleet.app, release: "4.3.0", links: links)))
      }
    },
    Component(name: "advice-line") {
      markup {
        $0.write(
          AdviceLine(
            advice: "Look.", guide: "disk-writes", links: links,
            firstLook: FirstLook(metric: "disk.writes", app: Fleet.app, release: nil, links: links)))
      }
    },
    Component(name: "incident-recovering") {
      markup {
        $0.write(
          IncidentCard(entry: Fleet.alerts.open[0], list: Fleet.alerts, canEdit: true, links: links))
      }
    },
    Component(name: "incident-silenced") {
      markup {
        $0.write(
          IncidentCard(entry: Fleet.alerts.open[1], list: Fleet.alerts, canEdit: true, links: links))
      }
    },
    Component(name: "checklist-item-broken") {
      let links = Links(style: .served, from: .checklist(app: Fleet.app))
      return markup { $0.write(ChecklistCard(item: Fleet.checklist.items[1], links: links)) }
    },
    Component(name: "checklist-item-yours") {
      markup { $0.write(ChecklistCard(item: Fleet.checklist.items[6], links: links)) }
    },
    Component(name: "setup-waiting") { markup { $0.write(SetupState(setup: Fleet.waiting, links: links)) } },
    Component(name: "setup-steps") {
      markup {
        $0.write(
          SetupSteps(
            code: SetupCode(key: "KEY", dsn: "https://KEY@plumb.example.com/7", url: "https://plumb.example.com")))
      }
    },
    Component(name: "metric-headline") {
      markup { $0.write(MetricFigures(page: Fleet.smallMetricPage, links: links)) }
    },
  ]
}
