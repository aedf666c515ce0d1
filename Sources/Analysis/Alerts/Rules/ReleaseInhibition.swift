import Core
import Storage

/// The vitals that are broken on a release. On the app as a whole they are the same break, so they open no second
/// incident while that of the release is open. A warning about a release does not hide a broken budget of the app.
///
/// After the release's breach has ended, the app's windows still contain the release's sessions. Until they leave them,
/// the app's values open no incident. A new break shows on the releases in use, and in the burn rates of the last hours.
struct ReleaseInhibition {
  private var broken: Set<BrokenPart> = []
  private var warned: Set<BrokenPart> = []
  private var ended: Set<BrokenPart> = []
  private var endedWarnings: Set<BrokenPart> = []
  private var justEnded: Set<BrokenPart> = []

  init(_ findings: [Finding], open: Set<BreachKey>, ended: EndedBreaches) {
    (broken, warned) = Self.parts(findings.filter { $0.condition == .broken }.map(\.key) + open)
    (self.ended, endedWarnings) = Self.parts(Array(ended.inMetrics))
    justEnded = Self.parts(Array(ended.inBurnRates)).broken
  }

  /// The finding, unclear instead of broken if it only repeats what is known of a release.
  func withheld(_ finding: Finding, open: Set<BreachKey>) -> Finding {
    guard finding.condition == .broken, finding.key.version == nil, !open.contains(finding.key),
      Self.levels.contains(finding.key.rule), let part = BrokenPart(finding.key, finding.severity),
      isExplained(part, finding)
    else { return finding }
    var withheld = finding
    withheld.condition = .unclear
    return withheld
  }

  private func isExplained(_ part: BrokenPart, _ finding: Finding) -> Bool {
    let isWarning = finding.key.rule == .warning
    if broken.contains(part) || isWarning && warned.contains(part) { return true }
    // A critical burn rate is one of the last six hours.
    if finding.key.rule == .burn { return finding.severity != .critical && justEnded.contains(part) }
    return ended.contains(part) || isWarning && endedWarnings.contains(part)
  }

  private static func parts(_ keys: [BreachKey]) -> (broken: Set<BrokenPart>, warned: Set<BrokenPart>) {
    let ofReleases = keys.filter { $0.version != nil && levels.contains($0.rule) }
    return (
      Set(ofReleases.filter { $0.rule != .warning }.compactMap { BrokenPart($0, .critical) }),
      Set(ofReleases.filter { $0.rule == .warning }.compactMap { BrokenPart($0, .warning) })
    )
  }

  /// The rules about budgets. Others say less than a broken budget.
  private static let levels: Set<BreachKey.Rule> = [.budget, .burn, .warning]
}

/// The breaches that ended while the windows of metrics still contain their time.
struct EndedBreaches {
  /// Within the window of budgets.
  var inMetrics: Set<BreachKey> = []
  /// Within the longest window of burn rates.
  var inBurnRates: Set<BreachKey> = []
}

extension EndedBreaches {
  /// Selects from the closed breaches of incidents.
  init(of incidents: [Incident], now: Timestamp) {
    func keys(_ days: Int64) -> Set<BreachKey> {
      Set(incidents.flatMap(\.breaches).filter { $0.closed.map { Self.isWithin(days, $0, now) } ?? false }.map(\.key))
    }
    inMetrics = keys(Int64(Scope.defaultDays))
    inBurnRates = keys(Self.burnDays)
  }

  /// The time from which `init(of:now:)` needs closed incidents.
  static func start(_ now: Timestamp) -> Timestamp {
    let (start, overflow) = now.milliseconds.subtractingReportingOverflow(Int64(Scope.defaultDays) * Finding.day)
    return Timestamp(milliseconds: overflow ? .min : start)
  }

  private static func isWithin(_ days: Int64, _ time: Timestamp, _ now: Timestamp) -> Bool {
    let (age, overflow) = now.milliseconds.subtractingReportingOverflow(time.milliseconds)
    return !overflow && age < days * Finding.day
  }

  /// The length of the longest window in `BurnPolicy.all`.
  private static let burnDays: Int64 = 3
}
