import Core

/// The subject of a judgement: a release and the previous release.
package struct JudgementSubject {
  /// The judged release; nil for the whole app.
  package var release: ReleaseReport?
  var previous: ReleaseReport?
  /// Named releases newer than `release`, newest first.
  var waiting: [ReleaseReport] = []

  /// - Parameter waiting: newer releases that are not judged yet.
  package init(
    _ query: ReportQuery, _ scope: Scope, _ releases: [ReleaseReport], waiting passed: [ReleaseReport] = []
  ) {
    let named = releases.filter(\.release.isNamed)
    if let name = query.release {
      let whole = ReleaseReport.whole(name, scope, releases)
      release = whole
      previous = whole.flatMap { ReleaseReport.previous(of: $0.release, scope, releases) }
    } else if !query.isWholeApp, let index = Self.newestInUse(named, of: releases) {
      release = named[index]
      waiting = passed.isEmpty ? Array(named[..<index]) : passed
      // A build with few users is not a meaningful previous release.
      let older = named[(index + 1)...].filter(Self.isUsed)
      previous = older.first { $0.stage == .adopted || $0.stage == .replaced } ?? older.first
    }
  }

  /// The first of `named` with enough adoption: on the last day or, if that has no data, in the window.
  private static func newestInUse(_ named: [ReleaseReport], of releases: [ReleaseReport]) -> Int? {
    if releases.contains(where: { $0.adoption != nil }) { return named.firstIndex(where: isJudged) }
    let hasSessions = releases.contains { $0.sessions > 0 }
    let use = { (release: ReleaseReport) in Double(hasSessions ? release.sessions : release.payloads) }
    let all = releases.reduce(0) { $0 + use($1) }
    return named.firstIndex { use($0) > 0 && use($0) >= Judgement.leastAdoption * all }
  }

  static func isJudged(_ release: ReleaseReport) -> Bool {
    release.release.isNamed && (release.adoption ?? 0) >= Judgement.leastAdoption
  }

  private static func isUsed(_ release: ReleaseReport) -> Bool { release.sessions > 0 || release.payloads > 0 }
}
