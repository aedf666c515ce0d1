public import Core
internal import Storage

/// The numbers of one build of the app in one environment.
public struct ReleaseReport: Sendable, Equatable {
  public var release: Release
  public var sessions: Int
  /// The number of MetricKit payloads, for apps that send no sessions.
  public var payloads: Int
  /// The share of the last day's sessions (of payloads for apps without sessions), 0 to 1; nil if there were none.
  public var adoption: Double?
  /// The share of the last day's distinct users, 0 to 1; nil if users are unknown.
  public var adoptionDevices: Double?
  /// The stage of the release; nil for payloads that span several releases.
  public var stage: ReleaseStage?
  /// The build's share of its version's sessions (of payloads for apps without sessions), 0 to 1.
  var shareOfRelease: Double?
  public var firstSeen: CalendarDay
  public var lastSeen: CalendarDay
  public var crashFree: RatioEstimate
  /// The age of the build's oldest stored row, in minutes; nil unless requested.
  var age: Int?
  /// The use by arrivals in the last three days; nil if not requested or if the app had no sessions on these days.
  var arrivals: UseByArrivalHour?

  init(
    release: Release, sessions: Int, payloads: Int, adoption: Double?, adoptionDevices: Double? = nil,
    stage: ReleaseStage? = nil, shareOfRelease: Double? = nil, firstSeen: CalendarDay, lastSeen: CalendarDay,
    crashFree: RatioEstimate
  ) {
    self.release = release
    self.sessions = sessions
    self.payloads = payloads
    self.adoption = adoption
    self.adoptionDevices = adoptionDevices
    self.stage = stage
    self.shareOfRelease = shareOfRelease
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.crashFree = crashFree
  }
}

extension ReleaseReport {
  /// The name of the build in slices: `4.2.0 (1234)`, or `4.2.0` without a build number.
  var title: String { release.title }

  /// The adoption below which a release is not in use.
  static let leastUse = 0.01

  /// Whether the release has been in use for long enough to supersede another release. True if arrivals are unknown,
  /// such as for apps without sessions.
  var isLasting: Bool { arrivals?.isLasting ?? true }
}
