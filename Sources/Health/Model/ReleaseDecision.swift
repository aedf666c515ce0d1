import Storage
import Telemetry

/// The advice whether to continue the rollout of a release.
public struct ReleaseDecision: Sendable, Equatable {
  public var release: ReleaseReport
  /// The release before `release`, such as `4.2.0 (1234)`; nil for the first.
  public var previous: String?
  public var advice: Advice
  /// The results of the budgets on this release over its own lifetime; empty while too few users have it.
  public var results: [BudgetResult]

  public init(release: ReleaseReport, previous: String?, results: [BudgetResult]) {
    self.release = release
    self.previous = previous
    self.results = results
    advice = Advice(results)
  }

  /// What to do about the rollout of a release.
  public enum Advice: String, Sendable {
    /// Stop the rollout: a budget is broken.
    case hold
    /// Watch the rollout: a warning level is exceeded.
    case watch
    /// Continue the rollout: most budgets are met and none is broken.
    case ship
    /// Wait with a decision: there are too few data.
    case wait

    /// The advice that follows from the verdicts on a release's budgets, as `Verdict.worst` combines them.
    public init(_ results: [BudgetResult]) {
      switch results.isEmpty ? .notEnoughData : Verdict.worst(of: results.map(\.verdict)) {
      case .broken: self = .hold
      case .warning: self = .watch
      case .within: self = .ship
      case .notEnoughData: self = .wait
      }
    }
  }

  /// The decisions on the newest releases: those with verdicts, and the two newest of the others.
  static func newest(_ releases: [ReleaseReport], _ results: [BudgetResult]) -> [ReleaseDecision] {
    let named = releases.filter(\.release.isNamed)
    let judged = Set(results.compactMap(\.slice.release))
    let first = named.firstIndex { judged.contains($0.release.title) } ?? min(1, named.count)
    let shown = named.indices.filter { $0 < min(first, 2) || judged.contains(named[$0].release.title) }
    return shown.map { index in
      let release = named[index]
      let previous = named.indices.contains(index + 1) ? named[index + 1].release.title : nil
      return ReleaseDecision(
        release: release, previous: previous, results: results.filter { $0.slice.release == release.release.title })
    }
  }
}
