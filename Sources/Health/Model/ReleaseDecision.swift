import Storage
import Telemetry

/// Whether a release may go on to more people.
public struct ReleaseDecision: Sendable, Equatable {
  public var release: ReleaseReport
  /// The release before it, `4.2.0 (1234)`; nil for the first.
  public var previous: String?
  public var advice: Advice
  /// The budgets on this release over its own life; empty while too few people have it.
  public var results: [BudgetResult]

  public init(release: ReleaseReport, previous: String?, results: [BudgetResult]) {
    self.release = release
    self.previous = previous
    self.results = results
    advice = Advice(results)
  }

  /// What to do with a release.
  public enum Advice: String, Sendable {
    /// A budget is broken.
    case hold
    /// A warning level is exceeded.
    case watch
    /// Most budgets are met and none is broken.
    case ship
    /// Too little data to say so.
    case wait

    /// What the verdicts on a release's budgets say together, as `Verdict.worst` sums them up.
    public init(_ results: [BudgetResult]) {
      switch results.isEmpty ? .notEnoughData : Verdict.worst(of: results.map(\.verdict)) {
      case .broken: self = .hold
      case .warning: self = .watch
      case .within: self = .ship
      case .notEnoughData: self = .wait
      }
    }
  }

  /// Those of the newest releases: the ones with verdicts, and the two newest before them.
  static func newest(_ releases: [ReleaseReport], _ results: [BudgetResult]) -> [ReleaseDecision] {
    let named = releases.filter(\.release.isNamed)
    let judged = Set(results.compactMap(\.slice.release))
    let first = named.firstIndex { judged.contains($0.release.title) } ?? min(1, named.count)
    let shown = named.indices.filter { $0 < min(first, 2) || judged.contains(named[$0].release.title) }
    return shown.map { place in
      let release = named[place]
      let previous = named.indices.contains(place + 1) ? named[place + 1].release.title : nil
      return ReleaseDecision(
        release: release, previous: previous, results: results.filter { $0.slice.release == release.release.title })
    }
  }
}
