/// Where a release is in its life.
public enum ReleaseStage: String, Sendable {
  /// Less than a tenth of the use, and never more for long.
  case low
  /// A tenth of the use or more.
  case adopted
  /// Less than a tenth, after it was adopted.
  case replaced

  /// The share of sessions (payloads without sessions) from which on a release is adopted.
  public static let adoptedShare = 0.1
  /// How many hours a share must hold on the other side before the stage changes.
  public static let hoursToHold = 6
}

/// The stage of one release, followed along its shares.
struct StageTrack {
  private(set) var stage = ReleaseStage.low
  /// Since which hour its share has been on the other side.
  private var otherSince: Int?

  /// Notes the share of the 24 hours that end with `hour`.
  mutating func note(share: Double, hour: Int) {
    guard isOther(share) else { return otherSince = nil }
    let since = otherSince ?? hour
    otherSince = since
    if hour - since >= ReleaseStage.hoursToHold { change() }
  }

  /// Notes the share of a whole day, which is longer than a share has to hold.
  mutating func note(dayShare share: Double) {
    if isOther(share) { change() }
  }

  /// An hour without any use: a pending change starts counting again.
  mutating func noteSilence() { otherSince = nil }

  private func isOther(_ share: Double) -> Bool { (share >= ReleaseStage.adoptedShare) != (stage == .adopted) }

  private mutating func change() {
    stage = stage == .adopted ? .replaced : .adopted
    otherSince = nil
  }
}
