@testable import Analysis
@testable import Storage
@testable import Web

/// The pages beside an app's own.
enum SamplePages {
  struct Entry: Sendable {
    let name: String
    let render: @Sendable (PageContext) -> [UInt8]
  }

  static let all: [Entry] = [
    Entry(name: "release") { ReleaseView.render(Fleet.releasePage, $0) },
    Entry(name: "rollout") { RolloutView.render(Fleet.rollout, $0) },
    Entry(name: "rollout-impossible") {
      ImpossibleRolloutView.render(
        app: Fleet.app, release: "4.1.2 (1190)", why: "no release older than 4.1.2 (1190) has data.", asOf: Fleet.asOf,
        $0)
    },
    Entry(name: "sessions") { SessionsView.render(Fleet.sessionPage, $0) },
    Entry(name: "sessions-none") { SessionsView.render(nothing, $0) },
    Entry(name: "groups") { GroupsView.render(Fleet.groupList(), $0) },
    Entry(name: "group-crash") { GroupView.render(Fleet.groupPage(), $0) },
    Entry(name: "group-hang") { GroupView.render(Fleet.groupPage(hang: true), $0) },
    Entry(name: "group-focus") {
      let page = Fleet.groupPage(hang: true)
      return GroupView.render(page, focus: page.flame?.nodes[1].id, $0)
    },
    Entry(name: "release-impact") { ReleaseView.render(Fleet.releasePage, impact: Fleet.impact(), $0) },
    Entry(name: "exits") { ExitsView.render(Fleet.exitPage, $0) },
    Entry(name: "budgets") { BudgetsView.render(Fleet.budgetPage, $0) },
    Entry(name: "checklist") { ChecklistView.render(Fleet.checklist, $0) },
    Entry(name: "setup") {
      SetupView.render(Fleet.setupPage, app: Fleet.storedApp, keys: Fleet.storedApp.keys, $0)
    },
    Entry(name: "setup-waiting") {
      SetupView.render(Fleet.waiting, app: Fleet.storedApp, keys: Fleet.storedApp.keys, $0)
    },
    Entry(name: "compare-nothing") {
      ImpossibleComparisonView.render(app: Fleet.app, why: "There are not two releases.", asOf: Fleet.asOf, $0)
    },
    Entry(name: "metric-none") {
      NoMetricView.render(app: Fleet.app, metric: "swiftui.body", asOf: Fleet.asOf, $0)
    },
    Entry(name: "guides") { GuidesView.render($0) },
    Entry(name: "guide") { GuideView.render("memory", $0) ?? [] },
  ]

  /// An app whose clients send no sessions.
  private static var nothing: SessionsModel {
    var page = Fleet.sessionPage
    page.sessions = SessionReport()
    page.users = UserReport()
    page.days = page.days.map { SessionDay(day: $0.day) }
    return page
  }
}
