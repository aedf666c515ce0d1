/// The stage of a release in its lifetime, by its share of use.
public enum ReleaseStage: String, Sendable, CaseIterable {
  /// The release's share of use is below a tenth, and was never higher for six hours.
  case low
  /// The release's share of use is a tenth or more.
  case adopted
  /// The release's share of use fell below a tenth after it was adopted.
  case replaced

  /// The share of sessions (of payloads for apps without sessions) from which a release counts as adopted.
  static let adoptedShare = 0.1
  /// The number of hours for which a share must be on the other side of the limit before the stage changes.
  static let hoursToHold = 6
}

/// Follows the stage of one release through its shares over time.
struct StageTrack {
  private(set) var stage = ReleaseStage.low
  /// The hour since which the release's share has been on the other side of the limit; nil while it is not.
  private var otherSince: Int?

  /// Adds the share of the 24 hours that end with `hour`.
  mutating func note(share: Double, hour: Int) {
    guard isOther(share) else { return otherSince = nil }
    let since = otherSince ?? hour
    otherSince = since
    if hour - since >= ReleaseStage.hoursToHold { change() }
  }

  /// Adds the share of a whole day, which changes the stage at once because it is longer than `hoursToHold`.
  mutating func note(dayShare share: Double) {
    if isOther(share) { change() }
  }

  /// Notes an hour without any use: the time for a pending change starts again.
  mutating func noteSilence() { otherSince = nil }

  private func isOther(_ share: Double) -> Bool { (share >= ReleaseStage.adoptedShare) != (stage == .adopted) }

  private mutating func change() {
    stage = stage == .adopted ? .replaced : .adopted
    otherSince = nil
  }
}
