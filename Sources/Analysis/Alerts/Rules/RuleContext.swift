import Core
import Storage

/// The input of every rule: the metrics, the open breaches and the thresholds.
struct RuleContext {
  let input: AlertRuleInput
  let open: Set<BreachKey>
  let thresholds: AlertThresholds

  /// Changes a broken finding to unclear if its release is too new or superseded, so that it opens no incident.
  func withheld(_ finding: Finding) -> Finding {
    guard finding.condition == .broken, !open.contains(finding.key), let release = finding.key.slice?.release else {
      return finding
    }
    let isYoung = input.releases.first { $0.title == release }.map(isYoung) ?? false
    guard isYoung || Supersession(input.releases).reason(release) != nil else { return finding }
    var withheld = finding
    withheld.condition = .unclear
    return withheld
  }

  /// Whether all builds of a version are too new to open incidents. Groups store versions, not builds.
  func isYoung(version: String) -> Bool {
    let builds = input.releases.filter { $0.release.version == version }
    return !builds.isEmpty && builds.allSatisfy(isYoung)
  }

  private func isYoung(_ release: ReleaseReport) -> Bool { release.age.map { $0 < thresholds.releaseAge } ?? false }

  /// Midnight (UTC) of the first day of a release; nil if the release is unknown.
  func firstDay(of release: String) -> Timestamp? {
    input.releases.first { $0.title == release }?.firstSeen.startUTC
  }

  /// The comparison of a metric with the previous release; nil for a slice by device, OS version, attribute or label,
  /// because releases are compared only over all devices.
  func comparison(of metric: String, on slice: Slice) -> (ReleaseComparison, MetricComparison)? {
    guard slice.os == nil, slice.device == nil, slice.deviceClass == nil, slice.attribute == nil,
      slice.label == nil
    else { return nil }
    let own = slice.release.map { release in input.comparisons.filter { $0.head == release } } ?? input.comparisons
    guard let first = own.first, let found = first.metrics.first(where: { $0.name == metric }) else { return nil }
    return (first, found)
  }
}
