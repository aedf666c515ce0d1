import HTML
import Health
import Storage
import Telemetry

@testable import Pages

/// Cards, badges and advice.
extension GoldenTests {
  private static func vital(_ index: Int, _ trend: [TrendPoint] = Fleet.launchDays) -> Vital {
    var vital = Fleet.vitals[index]
    vital.trend = trend
    return vital
  }

  private static func card(_ vital: Vital, _ links: Links = links) -> [UInt8] {
    markup { $0.write(VitalCard(app: Fleet.app, window: Fleet.window, vital: vital, links: links)) }
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
    Component(name: "vital-card-within") { card(vital(2)) },
    Component(name: "vital-card-broken") { card(vital(8, [])) },
    Component(name: "vital-card-few") { card(vital(4, [])) },
    Component(name: "vital-card-file") { card(vital(0, Fleet.points([0.997, 0.996, nil, 0.99, 0.992])), files) },
    Component(name: "budget-card") {
      markup { $0.write(BudgetCard(result: Fleet.vitals[5].result, window: Fleet.fiveDays)) }
    },
    Component(name: "breakage-card") {
      markup { $0.write(BreakageCard(app: Fleet.app, breakage: Fleet.breakages[0], links: links)) }
    },
    Component(name: "release-advice") {
      markup { $0.write(ShipOrHold(app: Fleet.app, decisions: Fleet.decisions, links: links)) }
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
        $0.write(SetupSteps(key: "KEY", dsn: "https://KEY@plumb.example.com/7", url: "https://plumb.example.com"))
      }
    },
    Component(name: "metric-headline") {
      markup { $0.write(MetricFigures(report: Fleet.launchReport, direction: .lower)) }
    },
  ]
}
