package import Core
package import Storage

extension HealthReader {
  /// The releases to compare where none are named: the newest version in use, which verdicts are about, with the one
  /// before it that was ever adopted, else with the one before it. Nil where there are not two.
  package func comparedReleases(
    _ app: App, _ query: ReportQuery, now: Timestamp
  ) throws -> (base: String, head: String)? {
    var known = query
    (known.release, known.os, known.device, known.deviceClass, known.label) = (nil, nil, nil, nil, nil)
    known.attribute = nil
    let builds = try releases(try scope(of: app, known, now: now)).filter(\.release.isNamed)
    let judged = judgedReleases(builds).first?.release.versionTitle
    var versions: [(name: String, stages: Set<ReleaseStage>)] = []
    for build in builds {
      let stage = build.stage.map { [$0] } ?? []
      if versions.last?.name == build.release.versionTitle {
        versions[versions.count - 1].stages.formUnion(stage)
      } else {
        versions.append((build.release.versionTitle, Set(stage)))
      }
    }
    guard versions.count > 1 else { return nil }
    let newest = versions.dropLast().firstIndex { $0.name == judged } ?? 0
    let older = versions[(newest + 1)...]
    let base = older.first { $0.stages.contains(.adopted) || $0.stages.contains(.replaced) } ?? older.first
    return base.map { ($0.name, versions[newest].name) }
  }
}
