package import Core

extension AppStatus {
  /// The newest release, judged or waiting, if it is young and there is an older one to compare it with.
  package var releaseInRollout: Release? {
    let named = releases.map(\.release).filter(\.isNamed)
    guard let newest = judgement.waiting.first ?? judgement.release, newest.stage != .replaced,
      newest.release.versionTitle == named.first?.versionTitle,
      named.contains(where: { $0.versionTitle != newest.release.versionTitle }),
      asOf.day().number - newest.firstSeen.number <= Self.daysOfRollout
    else { return nil }
    return newest.release
  }

  /// The age in days up to which a release counts as being rolled out: twice the days of a phased release.
  private static let daysOfRollout = 14
}
