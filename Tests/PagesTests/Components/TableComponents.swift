@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// Tables with a row for each state.
extension GoldenTests {
  /// The table of some of the fleet's budgets, with trends of five days.
  private static func judged(_ indexes: [Int]) -> JudgedBudgetTable {
    var judgement = Fleet.judgement
    judgement.budgets = indexes.map { index in
      var budget = Fleet.budgets[index]
      (budget.trend, budget.trendBefore) = (Fleet.launchDays, Fleet.points([1200, nil, nil, 1230, 1190]))
      return budget
    }
    return JudgedBudgetTable(app: Fleet.app, judgement: judgement, links: links)
  }

  static let tables: [Component] = [
    Component(name: "what-broke") {
      let table = judged([0, 5])
      return markup { $0.write(table.broken(table.judgement.broken)) }
    },
    Component(name: "other-budgets") {
      let table = judged([9])
      return markup { $0.write(table.others(table.judgement.budgets)) }
    },
    Component(name: "crash-table") {
      var list = Fleet.groupList()
      list.groups = Array(list.groups.prefix(1))
      list.slice.release = "4.2.0 (1234)"
      return markup { [list] in $0.write(CrashTable(app: Fleet.app, list: list, links: links)) }
    },
    Component(name: "release-table") {
      markup { $0.write(ReleaseTable(app: Fleet.app, releases: Fleet.releases.suffix(2), links: links)) }
    },
    Component(name: "burn-table") { markup { $0.write(BurnTable(burn: Fleet.burn)) } },
    Component(name: "session-table") {
      markup { $0.write(SessionsTable(sessions: Fleet.report.sessions, users: Fleet.report.users)) }
    },
    Component(name: "metric-tables") {
      var report = Fleet.report
      report.metrics = [report.metrics[0], report.metrics[7]]
      return markup { $0.write(MetricTables(report: report, links: links)) }
    },
    Component(name: "metric-facts") {
      var report = Fleet.launchReport
      report.percentiles = [90: Estimate(value: 1390.25, low: 1320, high: 1466)]
      return markup { $0.write(MetricFacts(report: report)) }
    },
    Component(name: "breakdown-table") {
      let links = Links(style: .served, from: launch, filter: ReportQuery(os: "iOS 26.1"))
      return markup {
        $0.write(
          BreakdownTable(
            heading: "By model", dimension: "Model", rows: [Fleet.byDevice[0], Fleet.byDevice[3], Fleet.byRelease[3]],
            direction: .lower, source: launch, links: links, part: .device))
      }
    },
    Component(name: "budget-table") {
      markup { $0.write(BudgetTable(page: Fleet.budgetPage, links: links)) }
    },
    Component(name: "budget-matrix") {
      markup {
        $0.write(BudgetMatrix(heading: "By release", dimension: "release", page: Fleet.budgetPage, links: links))
      }
    },
    Component(name: "comparison-table") {
      markup { $0.write(ComparisonTable(comparison: Fleet.comparison, links: links)) }
    },
    Component(name: "compare-form") {
      markup {
        $0.write(
          CompareForm(
            app: Fleet.app, base: "4.2.0", head: "4.0.0 (7)",
            context: PageContext(filter: ReportQuery(environment: "testflight"), choices: Fleet.choices)))
      }
    },
    Component(name: "exit-breakdown") { markup { $0.write(ExitBreakdown(page: Fleet.exitPage, links: links)) } },
    Component(name: "diagnostic-table") {
      markup { $0.write(DiagnosticTable(list: Fleet.diagnostics, links: links)) }
    },
    Component(name: "past-incidents") {
      markup { $0.write(PastIncidents(entries: Fleet.alerts.past, isOfOneApp: false, links: links)) }
    },
    Component(name: "count-table") {
      markup { $0.write(CountTable(section: QualitySection.all[0], quality: Fleet.dataQuality)) }
    },
    Component(name: "client-table") { markup { $0.write(ClientTable(clients: Fleet.dataQuality.clients)) } },
    Component(name: "setup-keys") {
      markup {
        $0.write(SetupKeys(app: Fleet.storedApp, keys: Fleet.storedApp.keys, serverURL: "https://plumb.example.com"))
      }
    },
    Component(name: "setup-keys-file") {
      markup { $0.write(SetupKeys(app: Fleet.storedApp, keys: [], serverURL: "")) }
    },
    Component(name: "guide-metrics") { markup { $0.write(GuideMetrics(family: "hangs")) } },
  ]
}
