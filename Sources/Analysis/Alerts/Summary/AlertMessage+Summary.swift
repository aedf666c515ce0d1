public import Core
public import Storage

extension AlertMessage {
  /// The daily or weekly summary of an app: advice on releases, incidents, broken budgets, and every metric with a
  /// budget next to its value in the previous period.
  public init(summary facts: SummaryInput) {
    let window = facts.report.window
    let days = window.days == 1 ? window.from.iso : "\(window.from.iso) to \(window.to.iso)"
    let writer = SummaryWriter(facts)
    let bad = facts.report.budgets.contains { $0.verdict == .broken || $0.verdict == .warning }
    self.init(
      identifier: IncidentIdentifier.hash(["digest", facts.app, days]), event: .digest,
      severity: bad ? .warning : .info,
      app: facts.app, environment: facts.report.slice.environment,
      title: OneLineText.text("\(facts.app), \(days): \(writer.sentence)"), items: writer.items, link: facts.link,
      time: facts.now)
  }
}

/// Writes the title and items of a summary.
private struct SummaryWriter {
  private let facts: SummaryInput
  private let report: HealthReport

  init(_ facts: SummaryInput) {
    self.facts = facts
    report = facts.report
  }

  /// The title of the summary: `1 of 9 budgets broken; 99.62 % crash-free sessions (99.71 % the week before)`
  var sentence: String {
    guard report.sessions.total > 0 || !report.metrics.isEmpty else { return "no data." }
    let judged = report.budgets.filter { $0.n > 0 }
    let broken = judged.count { $0.verdict == .broken }
    var parts = [
      judged.isEmpty
        ? "no budget has data"
        : broken == 0 ? "none of \(judged.count) budgets broken" : "\(broken) of \(judged.count) budgets broken"
    ]
    if let rate = report.sessions.crashFree.estimate.value {
      let before = facts.before.sessions.crashFree.estimate.value.map {
        " (\(Quantity.share($0)) the \(facts.period.before))"
      }
      parts.append("\(Quantity.share(rate)) crash-free sessions\(before ?? "")")
    }
    return parts.joined(separator: "; ")
  }

  var items: [AlertMessage.Item] { [releases, happened].compactMap { $0 } + breakages + [numbers].compactMap { $0 } }

  private var releases: AlertMessage.Item? {
    guard let judgement = report.judgement, let release = judgement.release else { return nil }
    let bad = judgement.results.count { $0.verdict == .broken }
    let judged = judgement.results.isEmpty ? "too little data" : "\(bad) of \(judgement.results.count) budgets broken"
    let use = release.adoption.map { ", adoption \(Quantity.share($0))" } ?? ""
    let line = Detail(OneLineText.text(release.release.title), "\(judgement.advice.rawValue): \(judged)\(use)")
    return item("releases", "Releases", [line])
  }

  /// The item about incidents that opened, ended or are still open.
  private var happened: AlertMessage.Item? {
    let start = report.window.from
    let lines = facts.incidents.map { incident -> Detail in
      let isNew = incident.opened.day() >= start
      let word = incident.closed == nil ? (isNew ? "New" : "Still open") : "Ended"
      return Detail(word, "\(OneLineText.text(incident.title)), since \(incident.since.dayOrMinute)")
    }
    guard !lines.isEmpty else { return item("incidents", "No incident opened, ended or is still open.", []) }
    return item("incidents", "Incidents", lines)
  }

  private var breakages: [AlertMessage.Item] {
    (report.judgement?.broken ?? []).map { breakage in
      var lines: [Detail] = []
      if let since = breakage.since { lines.append(Detail("Since", since.iso)) }
      if let release = breakage.result.slice.release {
        lines.append(Detail("Release", OneLineText.text(release)))
      }
      var item = item(breakage.result.budget, VerdictFormatter.summary(breakage.result), lines)
      item.advice = breakage.advice
      item.trend = trend(of: breakage)
      return item
    }
  }

  /// The daily values for a bar chart; empty for metrics where higher is better, whose chart would not begin at zero.
  private func trend(of breakage: JudgedBudget) -> [AlertMessage.TrendPoint] {
    let result = breakage.result
    guard result.direction == .lower else { return [] }
    return breakage.trend.compactMap { point in
      point.estimate.value.map { value in
        AlertMessage.TrendPoint(
          label: point.day.iso, value: max(0, value), text: Quantity.text(point.estimate, result.unit),
          isBroken: result.target.map { value > $0 } ?? false)
      }
    }
  }

  /// The item that lists every metric with a budget next to its value in the previous period; nil if there are none.
  private var numbers: AlertMessage.Item? {
    let lines = report.budgets.filter { $0.n > 0 }.map { result -> Detail in
      let title = Catalogue.metric(named: result.metric)?.title ?? result.metric
      let old = facts.before.budgets.first { $0.budget == result.budget && $0.slice == result.slice }?.value
      let before = old.map { ", \(Quantity.text($0, result.unit)) the \(facts.period.before)" } ?? ""
      let sign = result.direction == .lower ? "≤" : "≥"
      let value = Quantity.text(result.estimate, result.unit)
      let bounds = Quantity.interval(result.estimate, result.unit)
      return Detail(
        OneLineText.text([title, result.statistic].compactMap { $0 }.joined(separator: ", ")),
        "\(value) (\(bounds))\(before); \(words(result.verdict)) \(sign) "
          + result.targetText)
    }
    return lines.isEmpty ? nil : item("numbers", "Metrics with a budget", lines)
  }

  private func words(_ verdict: Verdict) -> String {
    switch verdict {
    case .within: "within"
    case .warning: "warning, budget"
    case .broken: "broken, budget"
    case .notEnoughData: "not enough data for"
    }
  }

  private func item(_ name: String, _ summary: String, _ facts: [Detail]) -> AlertMessage.Item {
    AlertMessage.Item(
      incident: IncidentIdentifier.hash(["digest", self.facts.app, name]), event: .digest, summary: summary,
      facts: facts,
      since: self.facts.now)
  }
}

/// The input of a summary.
public struct SummaryInput: Sendable {
  /// The app's bundle identifier.
  var app: String
  var period: SummaryPeriod
  /// The report on the summary's days, with the judgement on the newest release in use.
  var report: HealthReport
  /// The report on the same number of days directly before.
  var before: HealthReport
  /// The app's incidents that are open, or that ended on or after the first day.
  var incidents: [Incident]
  /// The URL of the app's page for these days; nil without a public URL.
  var link: String?
  var now: Timestamp

  public init(
    app: String, period: SummaryPeriod, report: HealthReport, before: HealthReport, incidents: [Incident],
    link: String?, now: Timestamp
  ) {
    self.app = app
    self.period = period
    self.report = report
    self.before = before
    self.incidents = incidents
    self.link = link
    self.now = now
  }
}

/// The period that a summary covers, in whole days.
public enum SummaryPeriod: String, Sendable, CaseIterable {
  case day
  case week

  var days: Int { self == .day ? 1 : 7 }

  /// The window of this period that ends on the day before `today`.
  public func window(before today: CalendarDay) -> Window { Window(days: days, endingOn: today - 1) }

  /// The window of the same length directly before `window`.
  public func previous(of window: Window) -> Window { Window(days: days, endingOn: window.from - 1) }

  /// The name of the previous period: `day before`, `week before`.
  var before: String { "\(rawValue) before" }
}
