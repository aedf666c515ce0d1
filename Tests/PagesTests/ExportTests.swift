import Foundation
import Testing

@testable import Analysis
@testable import Core
@testable import Web

@Suite struct ExportTests {
  /// Writes every page of the fixture as `plumb render` would. `PAGES=folder` keeps them to look at.
  private func export() throws -> URL {
    let kept = ProcessInfo.processInfo.environment["PAGES"].map { URL(fileURLWithPath: $0) }
    let root = kept ?? FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
    let context = PageContext(linkStyle: .files, renderedAt: Fleet.asOf)
    var files = PublicAssets.all.map { ($0.name, $0.bytes) }
    files.append((Page.data(of: .overview, .json).fileName, Array("{}".utf8)))
    files.append((Page.overview.fileName, OverviewView.render(Fleet.overview, context)))
    files.append((Page.alerts(app: nil).fileName, AlertsView.render(Fleet.alerts, context)))
    files.append((Page.data(of: .alerts(app: nil), .json).fileName, Array("{}".utf8)))
    for id in Fleet.overview.apps.map(\.id) {
      files.append((Page.alerts(app: id).fileName, AlertsView.render(Fleet.alerts(of: id), context)))
      files.append((Page.data(of: .alerts(app: id), .json).fileName, Array("{}".utf8)))
      var page = Fleet.appPage
      page.app = id
      files += Self.pages(of: id, page, context)
    }
    files.append((Page.guides.fileName, GuidesView.render(context)))
    for family in GuideView.families {
      files.append((Page.guide(family).fileName, GuideView.render(family, context) ?? []))
    }
    for (name, bytes) in files {
      let url = root.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
    }
    return root
  }

  private static func pages(of id: String, _ page: AppStatus, _ context: PageContext) -> [(String, [UInt8])] {
    var comparison = Fleet.comparison
    comparison.app = id
    let setup = SetupView.render(Fleet.setupPage, app: Fleet.storedApp, keys: [], context)
    var pages: [(Page, [UInt8])] = [
      (.app(id), AppView.render(page, context)), (.setup(app: id), setup),
      (.sessions(app: id), SessionsView.render(Fleet.sessionPage, context)),
      (.exits(app: id), ExitsView.render(Fleet.exitPage, context)),
      (.budgets(app: id), BudgetsView.render(Fleet.budgetPage, context)),
      (.checklist(app: id), ChecklistView.render(Fleet.checklist, context)),
      (.dataQuality(app: id), DataQualityView.render(Fleet.dataQuality, context)),
      (.diagnostics(app: id), DiagnosticsView.render(Fleet.diagnostics, context)),
      (
        .groups(app: id, kind: nil),
        GroupsView.render(Fleet.groupList(id), at: .groups(app: id, kind: nil), context)
      ), (.groups(app: id, kind: "crash"), GroupsView.render(Fleet.groupList(id), context)),
      (.groups(app: id, kind: "hang"), GroupsView.render(Fleet.groupList(id, kind: .hang), context)),
      (.newest(app: id), CompareView.render(comparison, context, at: .newest(app: id))),
    ]
    for group in Fleet.groupList().groups + Fleet.groupList(kind: .hang).groups {
      var model = Fleet.groupPage(hang: group.kind == .hang)
      model.app = id
      model.group.id = group.id
      pages.append((.group(app: id, id: group.id), GroupView.render(model, context)))
    }
    for release in Fleet.releases.map({ "\($0.release.version) (\($0.release.build))" }) {
      var model = Fleet.releasePage
      model.app = id
      model.name = release
      pages.append((.release(app: id, name: release), ReleaseView.render(model, context)))
      var rollout = Fleet.rollout
      (rollout.app, rollout.release) = (id, release)
      pages.append((.rollout(app: id, release: release), RolloutView.render(rollout, context)))
    }
    var report = Fleet.report
    report.app = id
    pages.append((.metrics(app: id), MetricsPage.view(.init(report: report, asOf: Fleet.asOf), context)))
    let shown = page.judgement.results.map(\.metric) + report.metrics.map(\.name)
    for name in Set(shown + comparison.metrics.map(\.name)) {
      var metric = Fleet.metricPage
      metric.app = id
      metric.report.name = name
      pages.append((.metric(app: id, name: name), MetricView.render(metric, context)))
    }
    return pages.flatMap { page, bytes in
      [(page.fileName, bytes)]
        + [Page.DataFormat.json, .csv].map { (Page.data(of: page, $0).fileName, Array("{}".utf8)) }
        + AnswerTableName.allCases.map { (Page.table(of: page, $0).fileName, Array("{}".utf8)) }
    }
  }

  @Test("every link in a static export leads to an existing file")
  func linksResolve() throws {
    let root = try export()
    defer {
      if ProcessInfo.processInfo.environment["PAGES"] == nil { try? FileManager.default.removeItem(at: root) }
    }
    let files =
      FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    let pages = files.filter { $0.pathExtension == "html" }
    #expect(pages.count > 50)
    var checked = 0
    for page in pages {
      let text = try String(contentsOf: page, encoding: .utf8)
      for match in text.matches(of: /(?:href|src)="([^"#][^"#]*)(?:#[^"]*)?"/) {
        let target = page.deletingLastPathComponent().appendingPathComponent(String(match.1)).standardized
        #expect(FileManager.default.fileExists(atPath: target.path), "\(page.lastPathComponent) → \(match.1)")
        checked += 1
      }
    }
    #expect(checked > 500)
  }
}
