import Pages
import Health
import Storage

/// The pages beside an app's own, by the name of their golden file.
enum SamplePages {
  struct Entry: Sendable {
    let name: String
    let render: @Sendable (PageContext) -> [UInt8]
  }

  static let all: [Entry] = [
    Entry(name: "release") { ReleasePageView.render(Fleet.releasePage, $0) },
    Entry(name: "sessions") { SessionPageView.render(Fleet.sessionPage, $0) },
    Entry(name: "sessions-none") { SessionPageView.render(nothing, $0) },
    Entry(name: "groups") { GroupsPageView.render(Fleet.groupList(), $0) },
    Entry(name: "group-crash") { GroupPageView.render(Fleet.groupPage(), $0) },
    Entry(name: "group-hang") { GroupPageView.render(Fleet.groupPage(hang: true), $0) },
    Entry(name: "group-focus") {
      let page = Fleet.groupPage(hang: true)
      return GroupPageView.render(page, focus: page.flame?.nodes[1].id, $0)
    },
    Entry(name: "release-impact") { ReleasePageView.render(Fleet.releasePage, impact: Fleet.impact(), $0) },
    Entry(name: "exits") { ExitPageView.render(Fleet.exitPage, $0) },
    Entry(name: "budgets") { BudgetPageView.render(Fleet.budgetPage, $0) },
    Entry(name: "checklist") { ChecklistPageView.render(Fleet.checklist, $0) },
    Entry(name: "setup") {
      SetupPageView.render(Fleet.setupPage, app: Fleet.storedApp, keys: Fleet.storedApp.keys, $0)
    },
    Entry(name: "setup-waiting") {
      SetupPageView.render(Fleet.waiting, app: Fleet.storedApp, keys: Fleet.storedApp.keys, $0)
    },
    Entry(name: "compare-nothing") {
      NothingToCompareView.render(app: Fleet.app, why: "There are not two releases.", asOf: Fleet.asOf, $0)
    },
    Entry(name: "metric-none") {
      NoMetricView.render(app: Fleet.app, metric: "swiftui.body", asOf: Fleet.asOf, $0)
    },
    Entry(name: "guides") { GuidesPageView.render($0) },
    Entry(name: "guide") { GuidePageView.render("memory", $0) ?? [] },
  ]

  /// An app whose clients send no sessions.
  private static var nothing: SessionPage {
    var page = Fleet.sessionPage
    page.sessions = SessionReport()
    page.users = UserReport()
    page.days = page.days.map { SessionDay(day: $0.day) }
    return page
  }
}
