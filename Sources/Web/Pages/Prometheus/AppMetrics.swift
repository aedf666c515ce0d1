import Analysis
import Core
import Storage

/// The verdicts and numbers of every app as metrics for Prometheus: those of the first page and, on request, every
/// metric of one app's report.
struct AppMetrics {
  /// The metrics, in the order of the answer.
  enum Name: String, CaseIterable {
    case verdict = "app_verdict"
    case advice = "app_advice"
    case release = "app_judged_release_info"
    case budgetError = "app_budget_error"
    case incidents = "app_open_incidents"
    case newestDay = "app_newest_day_timestamp_seconds"
    case sessions = "app_sessions"
    case releaseSessions = "release_sessions"
    case adoption = "release_adoption_ratio"
    case crashFree = "release_crash_free_ratio"
    case crashFreeLow = "release_crash_free_ratio_low"
    case crashFreeHigh = "release_crash_free_ratio_high"
    case budgetVerdict = "budget_verdict"
    case budgetValue = "budget_value"
    case budgetLow = "budget_value_low"
    case budgetHigh = "budget_value_high"
    case budgetTarget = "budget_target"
    case budgetWarning = "budget_warn_target"
    case budgetEvents = "budget_events"
    case metricValue = "metric_value"
    case metricLow = "metric_value_low"
    case metricHigh = "metric_value_high"
    case metricEvents = "metric_events"

    var help: String {
      switch self {
      case .verdict: "The overall verdict on an app's budgets: 1 for the current verdict, else 0."
      case .advice: "The rollout advice on the judged release: 1 for the current advice, else 0."
      case .release: "The judged release; absent if the whole app is judged."
      case .budgetError: "1 if an app is not judged because its budget file has an error, else 0."
      case .incidents: "Open incidents of an app."
      case .newestDay: "The start of the newest day with data of an app."
      case .sessions: "Sessions of all releases in the window of the app's page."
      case .releaseSessions: "Sessions of a release, for the ten most used releases."
      case .adoption: "A release's share of the last day's sessions, or of payloads if the app sends no sessions."
      case .crashFree: "The share of a release's sessions that did not crash."
      case .crashFreeLow: "The lower bound of its 95 % interval."
      case .crashFreeHigh: "The upper bound of its 95 % interval."
      case .budgetVerdict: "The verdict on a budget: 1 for the current verdict, else 0."
      case .budgetValue: "The value that the budget limits, in the unit given by the label unit."
      case .budgetLow: "The lower bound of its 95 % interval."
      case .budgetHigh: "The upper bound of its 95 % interval."
      case .budgetTarget: "The budget's limit, in the same unit."
      case .budgetWarning: "The value at which a warning starts, in the same unit."
      case .budgetEvents: "The number of events behind the value."
      case .metricValue:
        "A metric's statistic, over all releases and the 28 days of the app's page."
      case .metricLow: "The lower bound of its 95 % interval."
      case .metricHigh: "The upper bound of its 95 % interval."
      case .metricEvents: "The number of events behind the metric."
      }
    }
  }

  private typealias Labels = [(name: String, value: String?)]

  private var samples: [Name: [(labels: String, value: Double)]] = [:]

  /// The maximum number of releases listed per app.
  private static let mostReleases = 10

  /// The metrics in Prometheus' text format.
  var text: String {
    Name.allCases.map { MetricFamily(name: $0.rawValue, help: $0.help, samples: samples[$0] ?? []).text }.joined()
  }

  private mutating func add(_ name: Name, _ value: Double?, _ labels: Labels) {
    guard let value else { return }
    samples[name, default: []].append((MetricFamily.labels(labels), value))
  }

  /// Adds a sample for each state: 1 for the current state, else 0.
  private mutating func add(_ name: Name, _ state: String?, of states: [String], _ label: String, _ labels: Labels) {
    guard let state else { return }
    for each in states { add(name, each == state ? 1 : 0, labels + [(label, each)]) }
  }

  /// Adds what the first page shows of an app.
  mutating func add(_ app: AppSummary, openIncidents: Int, now: Timestamp) {
    let own: Labels = [("app", app.id)]
    add(.incidents, Double(openIncidents), own)
    add(.budgetError, app.budgetError == nil ? 0 : 1, own)
    guard let status = app.status else { return }
    add(.sessions, Double(app.status?.sessions ?? 0), own)
    let today = now.milliseconds / 86_400_000
    add(.newestDay, status.staleDays.map { Double((today - Int64($0)) * 86_400) }, own)
    for report in status.releases.sorted(by: Self.isUsedMore).prefix(Self.mostReleases) { add(report, own) }
    // Without budgets, because their file has an error, there is no verdict.
    guard app.budgetError == nil else { return }
    let judgement = status.judgement
    let release: Labels = [("release", judgement.release?.release.title), ("environment", judgement.slice.environment)]
    add(.verdict, judgement.verdict.rawValue, of: Self.verdicts, "verdict", own)
    let advices = [Judgement.Advice.ship, .watch, .hold, .wait].map(\.rawValue)
    add(.advice, judgement.advice.rawValue, of: advices, "advice", own)
    add(.release, judgement.release.map { _ in 1 }, own + release + [("previous", judgement.previous?.release.title)])
    for result in judgement.results { add(result, own + release) }
  }

  private static let verdicts = Verdict.allCases.map(\.rawValue)

  private static func isUsedMore(_ one: ReleaseReport, _ other: ReleaseReport) -> Bool {
    (one.adoption ?? 0, one.sessions, one.payloads) > (other.adoption ?? 0, other.sessions, other.payloads)
  }

  private mutating func add(_ report: ReleaseReport, _ app: Labels) {
    let labels = app + [("release", report.release.title)]
    add(.releaseSessions, Double(report.sessions), labels)
    add(.adoption, report.adoption, labels)
    add(.crashFree, report.crashFree.estimate.value, labels)
    add(.crashFreeLow, report.crashFree.estimate.low, labels)
    add(.crashFreeHigh, report.crashFree.estimate.high, labels)
  }

  private mutating func add(_ result: BudgetResult, _ subject: Labels) {
    let labels =
      subject + [
        ("budget", result.budget), ("metric", result.metric), ("statistic", result.statistic),
        ("unit", result.unit.symbol),
      ]
    add(.budgetVerdict, result.verdict.rawValue, of: Self.verdicts, "verdict", labels)
    add(.budgetValue, result.value, labels)
    add(.budgetLow, result.low, labels)
    add(.budgetHigh, result.high, labels)
    add(.budgetTarget, result.target, labels)
    add(.budgetWarning, result.warnTarget, labels)
    add(.budgetEvents, Double(result.n), labels)
  }

  /// Adds every metric of an app's report.
  mutating func add(_ report: HealthReport) {
    for metric in report.metrics {
      let labels: Labels = [
        ("app", report.app), ("environment", report.slice.environment), ("metric", metric.name),
        ("label", metric.label), ("source", metric.source.title), ("unit", metric.unit.symbol),
      ]
      add(.metricEvents, Double(metric.n), labels)
      let isDistribution = metric.kind == .distribution
      let ranks = metric.percentiles.sorted { $0.key < $1.key }.map { ("p\($0.key)", $0.value) }
      for (statistic, estimate) in isDistribution ? ranks : [("value", metric.value)] {
        add(.metricValue, estimate.value, labels + [("statistic", statistic)])
        add(.metricLow, estimate.low, labels + [("statistic", statistic)])
        add(.metricHigh, estimate.high, labels + [("statistic", statistic)])
      }
    }
  }
}
