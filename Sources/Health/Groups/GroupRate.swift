import Statistics
import Storage

/// How often a group occurs in 1,000 sessions of a release or another slice.
public struct GroupRate: Sendable, Equatable {
  /// The rate per 1,000 sessions. It has an interval if sessions are counted: nothing tells which reports without a
  /// session come from one user.
  public var estimate: Estimate
  /// What is counted: the affected sessions or, if the group's diagnostics name no sessions, its diagnostics.
  public var counted: GroupSummary.ShareBasis
  /// The number of affected sessions or of diagnostics.
  public var count: Int
  /// The number of all sessions of the slice.
  public var sessions: Int

  public init(estimate: Estimate, counted: GroupSummary.ShareBasis, count: Int, sessions: Int) {
    self.estimate = estimate
    self.counted = counted
    self.count = count
    self.sessions = sessions
  }

  /// The rate that a share of sessions is: one number, with one interval.
  init(_ share: RatioEstimate, count: Int) {
    let perThousand = { (share: Double?) in share.map { $0 * 1000 } }
    let estimate = share.estimate
    self.init(
      estimate: Estimate(
        value: perThousand(estimate.value), low: perThousand(estimate.low), high: perThousand(estimate.high)),
      counted: .sessions, count: count, sessions: share.n)
  }
}

extension GroupReader {
  /// The rate of a group in the frame's slice; nil if no sessions are known there. `namesSessions`: whether diagnostics
  /// of this kind name sessions, so that a group without diagnostics affects none rather than an unknown number.
  static func rate(of count: GroupCount?, _ frame: Frame, namesSessions: Bool) -> GroupRate? {
    guard frame.sessions > 0 else { return nil }
    let diagnostics = count?.diagnostics ?? 0
    let sessions = count?.sessions ?? 0
    guard sessions == 0, diagnostics > 0 || !namesSessions else {
      return GroupRate(sessionShare(sessions, users: count?.users ?? 0, frame), count: sessions)
    }
    return GroupRate(
      estimate: Estimate(value: Double(diagnostics) / Double(frame.sessions) * 1000), counted: .diagnostics,
      count: diagnostics, sessions: frame.sessions)
  }

  /// The share of sessions that a group affects. Sessions of one user are alike: a user who crashes at every launch is
  /// one piece of evidence, not ten.
  static func sessionShare(_ sessions: Int, users: Int, _ frame: Frame) -> RatioEstimate {
    let n = frame.sessions
    let repeated = users > 0 ? max(1, Double(sessions) / Double(users)) : 1
    let effect = (frame.effect ?? .none(of: Double(n))).inflated(by: repeated)
    return share(min(sessions, n), of: n, effect)
  }
}
