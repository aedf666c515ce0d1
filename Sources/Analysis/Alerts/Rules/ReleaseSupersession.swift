import Core

/// Decides whether another release has superseded a release.
struct ReleaseSupersession {
  private let releases: [ReleaseReport]

  /// Creates the decision from the app's releases. `(mixed)` and `(other)` are not releases and are ignored.
  init(_ releases: [ReleaseReport]) {
    self.releases = releases.filter(\.release.isNamed)
  }

  /// The reason why `release` is superseded; nil if it is not, or if no release is adopted yet.
  func reason(_ release: String) -> String? {
    let others = releases.filter { $0.title != release }
    // A burst of data within an hour or two does not prove that users moved to that release.
    let successor = others.first { ($0.adoption ?? 0) >= ReleaseStage.adoptedShare && $0.isLasting }
    guard let successor else { return nil }
    guard let own = releases.first(where: { $0.title == release }) else {
      return "\(release) is no longer in use; \(successor.title) is\(Self.since(successor))."
    }
    // A burst must not reduce the share of a release that is still used every hour.
    guard (own.arrivals?.recentHours ?? 0) < ReleaseStage.hoursToHold else { return nil }
    guard let adoption = own.adoption else { return nil }
    let isPulled = own.stage == .low && adoption < Self.pulledShare && (own.age ?? 0) >= 1440
    guard own.stage == .replaced || isPulled else { return nil }
    return "\(release) is superseded by \(successor.title)\(Self.since(successor))."
  }

  /// The evidence that the successor is in use; empty if unknown.
  private static func since(_ successor: ReleaseReport) -> String {
    successor.arrivals.map { ", in use in \($0.hours) of the last 72 hours" } ?? ""
  }

  /// The share of sessions, 0 to 1, below which a release that was never adopted counts as withdrawn after a day.
  private static let pulledShare = 0.01
}
