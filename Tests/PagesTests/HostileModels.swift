@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

// Models in which every text is the same hostile one.
extension HostileStringTests {
  /// App Store Connect's numbers, in which every text is `text` but for a unit that can be drawn.
  func figures(_ text: String, unit: String? = nil) -> [AppStoreFigure] {
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
  func inStore(_ text: String, _ metric: MetricModel) -> MetricModel {
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
  func notes(_ text: String) -> AppStorePerformance {
    var answer = AppStorePerformance()
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

  func results(_ text: String) -> [BudgetResult] {
    Fleet.judged(text, [.broken, .warning]).enumerated().map { index, result in
      var result = result
      result.budget = "\(text)\(index)"
      result.metric = text
      result.statistic = text.isEmpty ? "x" : text
      return result
    }
  }

  func report(_ text: String) -> ReleaseReport {
    var report = Fleet.bad
    report.release = Release(version: text.isEmpty ? " " : text, build: text)
    return report
  }

  func judgement(_ text: String, _ slice: Slice) -> Judgement {
    var judgement = Fleet.judgement
    (judgement.release, judgement.previous, judgement.waiting) = (report(text), report(text), [report(text)])
    judgement.slice = slice
    judgement.budgets = judgement.budgets.map { budget($0, text, slice) }
    return judgement
  }

  func rows(_ rows: [Breakdown], _ text: String) -> [Breakdown] {
    rows.map { Breakdown(key: text + "!", title: text, report: $0.report, verdict: $0.verdict, trend: $0.trend) }
  }

  func release(_ text: String) -> ReleaseModel {
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

  func sessions(_ text: String, _ slice: Slice) -> SessionsModel {
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

  func exits(_ text: String, _ slice: Slice) -> ExitsModel {
    var page = Fleet.exitPage
    page.app = text
    page.slice = slice
    page.environmentNote = text
    page.trend = Array(page.trend.suffix(3))
    page.byRelease = rows(page.byRelease, text)
    page.budgets = results(text)
    return page
  }

  func budgets(_ text: String, _ slice: Slice) -> BudgetsModel {
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

  func checklist(_ text: String) -> ReleaseChecklist {
    var list = Fleet.checklist
    list.app = text
    list.release = text
    list.environment = text
    list.environmentNote = text
    for index in list.items.indices { list.items[index].results = results(text) }
    return list
  }

  func setup(_ page: SetupModel, _ text: String, _ context: PageContext) -> [UInt8] {
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

  func overview(_ text: String) -> OverviewModel {
    var overview = Fleet.overview
    for index in overview.apps.indices {
      overview.apps[index].id = text
      overview.apps[index].status?.environmentNote = text
      overview.apps[index].status?.judgement = judgement(text, Slice(environment: text, release: text))
    }
    return overview
  }

  func alerts(_ text: String, _ slice: Slice) -> AlertList {
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

  func hostile(_ incident: Incident, _ text: String, _ slice: Slice) -> Incident {
    var incident = incident
    incident.title = text
    incident.breaches[0].key = BreachKey(.budget, text, slice: slice)
    incident.breaches[0].evidence = Evidence(summary: text, facts: [.init("Evidence", text)], headline: text)
    return incident
  }

  func comparison(_ text: String) -> ReleaseComparison {
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

  func rollout(_ text: String) -> RolloutReport {
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

  func diagnostics(_ text: String) -> DiagnosticList {
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

  func quality(_ text: String) -> DataQuality {
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

  func app(_ text: String, _ slice: Slice) -> AppStatus {
    var page = Fleet.appPage
    page.app = text
    page.environmentNote = text
    page.judgement = judgement(text, slice)
    // A release without a version has no link to a comparison.
    page.releases = page.releases.map { _ in report(text) }
    return page
  }

  func metrics(_ text: String, _ slice: Slice) -> HealthReport {
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

  func budget(_ budget: JudgedBudget, _ text: String, _ slice: Slice) -> JudgedBudget {
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

  func metric(_ text: String, _ slice: Slice) -> MetricModel {
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
