import Core
import Storage

extension ReleaseReport {
  /// The report on a release by its name. The name may be a version, which means all its builds together. Nil if the
  /// release never had data in the environment.
  static func whole(_ name: String, _ scope: Scope, _ releases: [ReleaseReport]) -> ReleaseReport? {
    let known = scope.knownReleases.filter { $0.release.isCalled(name) }
    guard let first = known.map(\.firstDay).min(), let last = known.map(\.lastDay).max() else { return nil }
    let builds = releases.filter { $0.release.isCalled(name) }
    guard builds.count != 1, let newest = builds.first else {
      return builds.first
        ?? ReleaseReport(
          release: Release(title: name), sessions: 0, payloads: 0, adoption: nil, firstSeen: first, lastSeen: last,
          crashFree: .init())
    }
    let shares = builds.compactMap(\.adoption)
    var whole = newest
    whole.release = Release(version: name)
    whole.sessions = builds.reduce(0) { $0.saturatingAdd($1.sessions) }
    whole.payloads = builds.reduce(0) { $0.saturatingAdd($1.payloads) }
    whole.adoption = shares.isEmpty ? nil : shares.reduce(0, +)
    whole.adoptionDevices = nil
    whole.shareOfRelease = nil
    whole.firstSeen = first
    return whole
  }

  /// The release before `release`: a version before a version, a build before a build. Nil for the first release.
  static func previous(of release: Release, _ scope: Scope, _ releases: [ReleaseReport]) -> ReleaseReport? {
    let known = scope.knownReleases.map(\.release).filter(\.isNamed)
    let name: String?
    if release.build.isEmpty {
      name =
        Set(known.map(\.version)).filter { VersionOrder.precedes($0, release.version) }
        .max { VersionOrder.precedes($0, $1) }
    } else {
      name = known.filter { VersionOrder.precedes($0, release) }.max { VersionOrder.precedes($0, $1) }?.title
    }
    return name.flatMap { whole($0, scope, releases) }
  }
}
