import Core
import Ingest
import LabelledCauses

/// Precision and recall on invented diagnostics, for different sets of symbols and depths of the rules.
struct ScoreTable {
  private let set: LabelledSet
  private let stems: [NormalizedStack]

  init(causes: Int, variants: Int) {
    set = LabelledSet(causes: causes, variants: variants)
    stems = set.samples.map { NormalizedStack($0.kind, $0.exception, $0.calls) }
  }

  func write() {
    print("\(set.samples.count) diagnostics of \(Set(set.samples.map(\.cause)).count) causes, ", terminator: "")
    print("\(LabelledSet.builds) builds, \(set.samples.count(where: \.isCut)) stacks cut\n")
    print("| frames | symbols | precision | recall | groups |\n|---|---|---|---|---|")
    for depth in 1...3 {
      row(depth, "all", LabelledSet.builds)
      row(depth, "of half the builds", LabelledSet.builds / 2)
      row(depth, "none", 0)
      within(depth)
    }
  }

  private func row(_ depth: Int, _ title: String, _ builds: Int) {
    let symbols = set.symbols(ofBuilds: builds)
    let score = Self.score(Array(zip(set.samples.map(\.cause), fingerprints(depth, symbols))))
    print(
      "| \(depth) | \(title) | \(Self.percent(score.precision)) | \(Self.percent(score.recall)) | \(score.groups) |")
  }

  /// Without symbols, no rule joins builds. Scores the diagnostics within each build.
  private func within(_ depth: Int) {
    let made = fingerprints(depth, [:])
    let scores = (0..<LabelledSet.builds).map { build in
      Self.score(zip(set.samples, made).filter { $0.0.build == build }.map { ($0.cause, $1) })
    }
    let mean = { (value: (GroupingScore) -> Double) in scores.map(value).reduce(0, +) / Double(scores.count) }
    let groups = scores.map(\.groups).reduce(0, +) / scores.count
    print(
      "| \(depth) | none, within a build | \(Self.percent(mean(\.precision))) | \(Self.percent(mean(\.recall))) "
        + "| \(groups) |")
  }

  private func fingerprints(_ depth: Int, _ symbols: [String: [UInt64: [CallTree.Symbol]]]) -> [Fingerprint] {
    stems.map { Grouper(depth: depth).fingerprint(of: $0, symbols: symbols) }
  }

  private static func score(_ made: [(Int, Fingerprint)]) -> GroupingScore {
    var counts: [UInt64: (fingerprint: Fingerprint, count: Int)] = [:]
    for (_, fingerprint) in made { counts[fingerprint.hash, default: (fingerprint, 0)].count += 1 }
    let homes = TruncatedStacks.homes(of: Array(counts.values))
    return GroupingScore(made.map { ($0, homes[$1.hash] ?? $1.hash) })
  }

  private static func percent(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return "\(tenths / 10).\(tenths % 10) %"
  }
}
