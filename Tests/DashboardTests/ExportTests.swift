import Dashboard
import Foundation
import Health
import PublicAssets
import Testing

@Suite struct ExportTests {
  /// Writes every page of the fixture as `plumb render` would. `PAGES=folder` keeps them to look at.
  private func export() throws -> URL {
    let kept = ProcessInfo.processInfo.environment["PAGES"].map { URL(fileURLWithPath: $0) }
    let root = kept ?? FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
    let context = PageContext(linkStyle: .files, renderedAt: Fleet.asOf)
    var files = PublicAssets.all.map { ($0.name, $0.bytes) }
    files.append((Page.overview.fileName, OverviewPageView.render(Fleet.overview, context)))
    files.append((Page.alerts(app: nil).fileName, AlertsPageView.render(Fleet.alerts, context)))
    files.append((Page.alertList(app: nil).fileName, Array("{}".utf8)))
    for id in Fleet.overview.apps.map(\.id) {
      files.append((Page.alerts(app: id).fileName, AlertsPageView.render(Fleet.alerts(of: id), context)))
      files.append((Page.alertList(app: id).fileName, Array("{}".utf8)))
      var page = Fleet.appPage
      page.report.app = id
      files.append((Page.app(id).fileName, AppPageView.render(page, context)))
      files.append((Page.report(app: id).fileName, Array("{}".utf8)))
      files.append((Page.dataQuality(app: id).fileName, DataQualityPageView.render(Fleet.dataQuality, context)))
      files.append((Page.dataQualityReport(app: id).fileName, Array("{}".utf8)))
      files.append((Page.diagnostics(app: id).fileName, DiagnosticsPageView.render(Fleet.diagnostics, context)))
      files.append((Page.diagnosticList(app: id).fileName, Array("{}".utf8)))
      for name in Set((page.vitals.map(\.result) + page.releaseResults).map(\.metric) + page.report.metrics.map(\.name))
      {
        var metric = Fleet.metricPage
        metric.app = id
        metric.report.name = name
        files.append((Page.metric(app: id, name: name).fileName, MetricPageView.render(metric, context)))
      }
    }
    for (name, bytes) in files {
      let url = root.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: url)
    }
    return root
  }

  @Test("in a static export every link leads to a file that is there")
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
      for match in text.matches(of: /(?:href|src)="([^"#][^"]*)"/) {
        let target = page.deletingLastPathComponent().appendingPathComponent(String(match.1)).standardized
        #expect(FileManager.default.fileExists(atPath: target.path), "\(page.lastPathComponent) → \(match.1)")
        checked += 1
      }
    }
    #expect(checked > 500)
  }
}
