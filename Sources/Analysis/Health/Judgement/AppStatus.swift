public import Core
public import Storage

/// An app's judgement with its releases, for its page and its card on the overview.
public struct AppStatus: Sendable {
  /// The app's bundle identifier.
  public var app: String
  public var judgement: Judgement
  /// The days that the page shows.
  var window: Window
  /// Why an environment other than production is shown; nil for production.
  public var environmentNote: String?
  /// The releases with data in the window, newest first. Judged releases have the numbers of the judgement.
  public var releases: [ReleaseReport] = []
  /// Days between the newest day with data and today; nil without data.
  public var staleDays: Int?
  /// The watermark: the sequence number in the journal up to which payloads are digested.
  public var digestedThrough: Int64 = 0
  public var asOf: Timestamp
}

extension HealthReader {
  /// The status of an app.
  public func status(_ app: App, _ query: ReportQuery = .init(), now: Timestamp) throws -> AppStatus {
    let scope = try scope(of: app, query, now: now)
    let releases = try releases(scope)
    let judgement = try judgement(scope, query, releases: releases)
    return AppStatus(
      app: scope.bundleID, judgement: judgement, window: scope.window, environmentNote: scope.environmentNote,
      releases: releases.map { Self.agreeing($0, judgement) }, staleDays: scope.staleDays,
      digestedThrough: scope.inventory.digestedThrough, asOf: now)
  }

  /// A release with the crash-free rate of its judgement, over its lifetime, so that a page shows one rate per release.
  private static func agreeing(_ report: ReleaseReport, _ judgement: Judgement) -> ReleaseReport {
    let judged = judgement.budget(on: "sessions.crash_free")
    let result =
      report.release == judgement.release?.release
      ? judged?.result : report.release == judgement.previous?.release ? judged?.before : nil
    guard let result, result.value != nil else { return report }
    var report = report
    report.crashFree.estimate = Estimate(value: result.value, low: result.low, high: result.high)
    report.crashFree.n = result.n
    return report
  }
}

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
