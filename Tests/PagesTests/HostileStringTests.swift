import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// Every string of every model comes from a device or a file, and some of them want out.
@Suite struct HostileStringTests {
  static let strings = [
    #""><script>alert(1)</script>"#, "'><img src=x onerror=alert(1)>", "\u{0600}<b>", "\u{0600}\"onload=x", "a\0b",
    "\u{202E}gnp.exe", "שלום עולם", "👩‍👩‍👧‍👦 <i>", "</title></svg></table>", "../../etc/passwd", "..", "%00%2e", "",
    "&lt;script&gt;", "`${1}`", "\u{2028}\r\n", String(repeating: "W", count: 200),
    "<" + String(repeating: "😀", count: 200), "javascript:alert(1)",
  ]

  @Test(
    "a hostile string never becomes markup, and a link from it stays on the site", arguments: strings,
    [LinkStyle.served, .files])
  func nothingBreaksOut(text: String, style: LinkStyle) throws {
    let hostile = pages(text, filtered(PageContext(linkStyle: style), text))
    for (page, expected) in zip(hostile, style == .served ? Self.servedOutlines : Self.fileOutlines) {
      #expect(!page.contains(0), "NUL")
      let elements = try HTMLParser.parse(page).descendants
      // The same elements in the same order with the same attributes: whatever the strings say, the structure stays.
      let found = Self.outline(elements)
      let difference = zip(found, expected).first { $0 != $1 }
      #expect(difference == nil && found.count == expected.count)
      for link in elements.flatMap(\.attributes) where ["href", "src", "action"].contains(link.name) {
        #expect(Self.isLocal(link.value, style), "\(link.value)")
      }
    }
  }

  private static func isLocal(_ link: String, _ style: LinkStyle) -> Bool {
    if ["#main", "#end"].contains(link) { return true }
    return style == .served
      ? link.hasPrefix("/") && !link.hasPrefix("//") || link.hasPrefix("?") : !link.contains(":")
  }

  @Test("text direction marks stay inside their own isolate", arguments: [LinkStyle.served, .files])
  func directionStays(style: LinkStyle) {
    for page in pages("\u{202E}evil\u{2066}", PageContext(linkStyle: style)) {
      var text = String(decoding: page, as: UTF8.self)
      // An attribute is shown on its own; a field of a form holds what it is told.
      text.replace(/="[^"]*"/, with: "")
      // Where a name may be broken.
      text = text.replacing("<wbr/>", with: "")
      text.replace(/<bdi[^>]*>[^<]*<\/bdi>/, with: "")
      let turning = text.unicodeScalars.filter { $0 == "\u{202E}" || $0 == "\u{2066}" }
      #expect(turning.isEmpty)
    }
  }

  /// The same page with filters and choices from a device. An empty text narrows nothing.
  private func filtered(_ context: PageContext, _ text: String) -> PageContext {
    let text = text.isEmpty ? " " : text
    var context = context
    context.filter = ReportQuery(
      environment: text, release: text, os: text, device: text, deviceClass: text, label: text)
    context.choices = FilterChoices(
      environments: [text], releases: [text, text + "2"], systems: [text], deviceClasses: [text],
      devices: [.init(model: text, title: text)])
    return context
  }

  /// The pages about an app and everything in it that are called `x`.
  private static let servedOutlines = outlines(.served)
  private static let fileOutlines = outlines(.files)

  private static func outlines(_ style: LinkStyle) -> [[String]] {
    let suite = HostileStringTests()
    return suite.pages("x", suite.filtered(PageContext(linkStyle: style), "x")).map {
      (try? outline(HTMLParser.parse($0).descendants)) ?? []
    }
  }

  /// Every element with the names of its attributes: `a class href`.
  private static func outline(_ elements: [Element]) -> [String] {
    elements.map { element in ([element.name] + element.attributes.map(\.name)).joined(separator: " ") }
      .filter { !varies($0) }
  }

  /// A long name carries its whole self in a title, a name of code may be broken behind punctuation, and a long release
  /// has no room for its label in a chart.
  private static func varies(_ element: String) -> Bool {
    element.hasPrefix("bdi") || element == "wbr" || element == "text class x y text-anchor"
  }

  private func pages(_ text: String, _ context: PageContext) -> [[UInt8]] {
    let slice = Slice(environment: text, release: text, os: text, device: text, deviceClass: text, label: text)
    return [
      OverviewView.render(overview(text), context),
      AppView.render(app(text, slice), crashes: Fleet.groupList(text), context),
      MetricsPage.view(.init(report: metrics(text, slice), figures: figures(text), asOf: Fleet.asOf), context),
      MetricView.render(metric(text, slice), context), MetricView.render(inStore(text, metric(text, slice)), context),
      DataQualityView.render(quality(text), context),
      DiagnosticsView.render(diagnostics(text), context),
      GroupsView.render(Fleet.groupList(text), context), GroupView.render(Fleet.groupPage(text), context),
      GroupView.render(Fleet.groupPage(text, hang: true), focus: text, context),
      ReleaseView.render(release(text), impact: Fleet.impact(text), context),
      CompareView.render(comparison(text), context), RolloutView.render(rollout(text), context),
      ImpossibleRolloutView.render(
        app: text, release: rollout(text).release, why: text, asOf: Fleet.asOf, context),
      AlertsView.render(alerts(text, slice), context),
      ReleaseView.render(release(text), context), SessionsView.render(sessions(text, slice), context),
      ExitsView.render(exits(text, slice), context), BudgetsView.render(budgets(text, slice), context),
      ChecklistView.render(checklist(text), context), setup(Fleet.setupPage, text, context),
      setup(Fleet.waiting, text, context), NoMetricView.render(app: text, metric: text, asOf: Fleet.asOf, context),
      NoMetricView.render(
        app: text, metric: "hang.rate", AppStoreModel(figures: figures(text)), asOf: Fleet.asOf, context),
      ImpossibleComparisonView.render(app: text, why: text, asOf: Fleet.asOf, context),
      ErrorView.render(status: 404, detail: text, context),
      LoginView.render(failure: text, next: text, context),
    ]
  }

  /// App Store Connect's numbers, in which every text is `text` but for a unit that can be drawn.
  private func figures(_ text: String, unit: String? = nil) -> [AppStoreFigure] {
    ["p90", text].map { percentile in
      AppStoreFigure(
        .init(platform: text, category: text, metric: text, device: text, percentile: percentile, version: text),
        deviceName: text, unit: unit ?? text, value: 1, errorMargin: 1, goal: text)
    }.map { figure in
      var figure = figure
      figure.parts = [.init(label: text, share: 1)]
      return figure
    }
  }

  /// The page of a metric with App Store Connect's numbers, drawn beside those that were measured.
  private func inStore(_ text: String, _ metric: MetricModel) -> MetricModel {
    var metric = metric
    metric.appStore = AppStoreModel(
      figures: figures(text, unit: "ms"), notes: notes(text), measured: [text: metric.report],
      gaps: [
        AppStoreGapDecomposition(
          rank: 90, version: text, devices: text, unit: .milliseconds, apple: Estimate(value: 2), measured: .unknown,
          total: Estimate(value: 1, low: -1, high: 3), parts: [.init(cause: .days, value: -1)],
          rest: Estimate(value: 2))
      ])
    return metric
  }

  /// Apple's remarks, in which every text is `text`.
  private func notes(_ text: String) -> AppStoreAnswer {
    var answer = AppStoreAnswer()
    answer.goals = [("all_" + text, AppStoreGoal.recommended), ("", text)].map { device, name in
      AppStoreGoal(
        platform: text, category: text, metric: text, device: device, percentile: text, name: name, low: 1, high: 2,
        unit: text, detail: text)
    }
    answer.insights = [
      AppStoreInsight(
        kind: .regression, category: text, metric: text, latestVersion: text, referenceVersions: [text], summary: text,
        maximum: 1, isHighImpact: true, subsystem: text,
        populations: [.init(device: text, percentile: text, delta: 1, latest: 1, reference: 1, summary: text)])
    ]
    answer.signatures = [
      AppStoreSignature(
        kind: .hangs, id: text, signature: text, weight: 1, count: 1, version: text, file: text.isEmpty ? "x" : text,
        line: 1, trend: "up",
        references: [.init(version: text, value: 1)])
    ]
    return answer
  }

  private func results(_ text: String) -> [BudgetResult] {
    Fleet.judged(text, [.broken, .warning]).enumerated().map { index, result in
      var result = result
      result.budget = "\(text)\(index)"
      result.metric = text
      result.statistic = text.isEmpty ? "x" : text
      return result
    }
  }

  private func report(_ text: String) -> ReleaseReport {
    var report = Fleet.bad
    report.release = Release(version: text.isEmpty ? " " : text, build: text)
    return report
  }

  private func judgement(_ text: String, _ slice: Slice) -> Judgement {
    var judgement = Fleet.judgement
    (judgement.release, judgement.previous, judgement.waiting) = (report(text), report(text), [report(text)])
    judgement.slice = slice
    judgement.budgets = judgement.budgets.map { budget($0, text, slice) }
    return judgement
  }

  private func rows(_ rows: [Breakdown], _ text: String) -> [Breakdown] {
    rows.map { Breakdown(key: text + "!", title: text, report: $0.report, verdict: $0.verdict, trend: $0.trend) }
  }

  private func release(_ text: String) -> ReleaseModel {
    var page = Fleet.releasePage
    page.app = text
    page.name = text
    page.environment = text
    page.environmentNote = text
    page.judgement = judgement(text, Slice(release: text))
    page.builds = [report(text)]
    page.adoption = Array(page.adoption.suffix(3))
    page.comparison = comparison(text)
    page.comparisonNote = text
    return page
  }

  private func sessions(_ text: String, _ slice: Slice) -> SessionsModel {
    var page = Fleet.sessionPage
    page.app = text
    page.slice = slice
    page.environmentNote = text
    page.days = Array(page.days.suffix(14))
    for index in page.releaseMarkers.indices { page.releaseMarkers[index].version = text }
    page.byRelease = rows(page.byRelease, text)
    page.byDeviceClass = rows(page.byDeviceClass, text)
    page.bySystem = rows(page.bySystem, text)
    return page
  }

  private func exits(_ text: String, _ slice: Slice) -> ExitsModel {
    var page = Fleet.exitPage
    page.app = text
    page.slice = slice
    page.environmentNote = text
    page.trend = Array(page.trend.suffix(3))
    page.byRelease = rows(page.byRelease, text)
    page.budgets = results(text)
    return page
  }

  private func budgets(_ text: String, _ slice: Slice) -> BudgetsModel {
    var page = Fleet.budgetPage
    page.app = text
    page.slice = slice
    page.environmentNote = text
    page.judgement = judgement(text, slice)
    page.rows = results(text).map { result in
      BudgetRow(
        title: text, result: result, errorBudgetLeft: 0.5,
        slices: [SliceVerdict(dimension: "release", key: text, result: result)])
    }
    return page
  }

  private func checklist(_ text: String) -> ReleaseChecklist {
    var list = Fleet.checklist
    list.app = text
    list.release = text
    list.environment = text
    list.environmentNote = text
    for index in list.items.indices { list.items[index].results = results(text) }
    return list
  }

  private func setup(_ page: SetupModel, _ text: String, _ context: PageContext) -> [UInt8] {
    var page = page
    page.app = text
    page.rejected = page.rejected.map {
      DataQuality.Count(reason: text, count: $0.count, lastDetail: text + "!", lastDay: $0.lastDay)
    }
    page.sources = [DataQuality.Count(reason: text, count: 1, lastDetail: "", lastDay: Fleet.lastDay)]
    page.metrics = page.metrics.map { _ in text }
    page.releases = page.releases.map { _ in text }
    page.environments = page.environments.map { _ in text }
    var app = Fleet.storedApp
    app.bundleID = text
    return SetupView.render(page, app: app, keys: app.keys, context)
  }

  private func overview(_ text: String) -> OverviewModel {
    var overview = Fleet.overview
    for index in overview.apps.indices {
      overview.apps[index].id = text
      overview.apps[index].status?.environmentNote = text
      overview.apps[index].status?.judgement = judgement(text, Slice(environment: text, release: text))
    }
    return overview
  }

  private func alerts(_ text: String, _ slice: Slice) -> AlertList {
    var list = Fleet.alerts(of: text)
    for index in list.open.indices {
      list.open[index].app = text
      list.open[index].incident = hostile(list.open[index].incident, text, slice)
      list.open[index].deliveries = [text: DeliveryState(failure: text)]
    }
    for index in list.past.indices {
      list.past[index].app = text
      list.past[index].incident = hostile(list.past[index].incident, text, slice)
      list.past[index].incident.closedBecause = text
    }
    return list
  }

  private func hostile(_ incident: Incident, _ text: String, _ slice: Slice) -> Incident {
    var incident = incident
    incident.title = text
    incident.breaches[0].key = BreachKey(.budget, text, slice: slice)
    incident.breaches[0].evidence = Evidence(summary: text, facts: [.init("Evidence", text)], headline: text)
    return incident
  }

  private func comparison(_ text: String) -> ReleaseComparison {
    var comparison = Fleet.comparison
    comparison.app = text
    // As the choices of the form have it.
    comparison.base = text.isEmpty ? " " : text
    comparison.head = comparison.base + "2"
    comparison.slice.environment = text
    comparison.environmentNote = text
    for index in comparison.metrics.indices {
      comparison.metrics[index].name = "\(text)\(index)"
      comparison.metrics[index].title = text
      comparison.metrics[index].budget = text
    }
    return comparison
  }

  private func rollout(_ text: String) -> RolloutReport {
    var report = Fleet.rollout
    report.app = text
    // As the choices of the form have it.
    report.release = text.isEmpty ? " " : text
    report.base = report.release + "2"
    report.slice.environment = text
    report.environmentNote = text
    for index in report.vitals.indices {
      report.vitals[index].name = "\(text)\(index)"
      report.vitals[index].title = text
      report.vitals[index].budget = text
    }
    return report
  }

  private func diagnostics(_ text: String) -> DiagnosticList {
    var list = Fleet.diagnostics
    list.app = text
    for index in list.diagnostics.indices {
      list.diagnostics[index].release = Release(version: text, build: text)
      list.diagnostics[index].os = text
      list.diagnostics[index].model = text
      list.diagnostics[index].environment = text
      list.diagnostics[index].exception.name = text
    }
    return list
  }

  private func quality(_ text: String) -> DataQuality {
    var quality = Fleet.dataQuality
    quality.app = text
    quality.counts = quality.counts.mapValues { counts in
      counts.map {
        DataQuality.Count(reason: text, count: $0.count, lastDetail: text + "!", lastDay: $0.lastDay)
      }
    }
    for index in quality.clients.indices {
      quality.clients[index].client = text
      quality.clients[index].release = text
    }
    return quality
  }

  private func app(_ text: String, _ slice: Slice) -> AppStatus {
    var page = Fleet.appPage
    page.app = text
    page.environmentNote = text
    page.judgement = judgement(text, slice)
    // A release without a version has no link to a comparison.
    page.releases = page.releases.map { _ in report(text) }
    return page
  }

  private func metrics(_ text: String, _ slice: Slice) -> HealthReport {
    var report = Fleet.report
    report.app = text
    report.slice = slice
    report.environmentNote = text
    for index in report.metrics.indices {
      report.metrics[index].name = "\(text)\(index)"
      report.metrics[index].title = text
    }
    return report
  }

  private func budget(_ budget: JudgedBudget, _ text: String, _ slice: Slice) -> JudgedBudget {
    var budget = budget
    budget.title = text
    (budget.trend, budget.trendBefore) = (Array(budget.trend.suffix(3)), Array(budget.trendBefore.suffix(3)))
    (budget.advice, budget.guide) = (text, text)
    budget.result.budget = text
    budget.result.statistic = text.isEmpty ? "x" : text
    budget.result.slice = slice
    budget.classes = [SliceVerdict(dimension: "device_class", key: text, result: budget.result)]
    budget.labels = [SliceVerdict(dimension: "label", key: text, result: budget.result)]
    return budget
  }

  private func metric(_ text: String, _ slice: Slice) -> MetricModel {
    var page = Fleet.metricPage
    page.app = text
    page.slice = slice
    page.environmentNote = text
    page.trends = page.trends.mapValues { Array($0.suffix(14)) }
    page.report.name = text
    page.report.title = text
    for index in page.budgets.indices {
      page.budgets[index].budget = text
      page.budgets[index].slice = slice
    }
    for index in page.releaseMarkers.indices { page.releaseMarkers[index].version = text }
    page.byRelease = page.byRelease.map {
      Breakdown(key: text + "!", title: text, report: $0.report, verdict: $0.verdict)
    }
    page.byDeviceClass = rows(page.byDeviceClass, text)
    page.byDevice = page.byDevice.map {
      Breakdown(key: text + "!", title: text, report: $0.report, verdict: $0.verdict)
    }
    page.byLabel = page.byLabel.map { Breakdown(key: text + "!", title: text, report: $0.report, verdict: $0.verdict) }
    return page
  }
}
