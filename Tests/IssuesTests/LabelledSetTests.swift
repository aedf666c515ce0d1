import LabelledCauses
import Testing

@testable import Core
@testable import Ingest

@Suite("Groups of invented diagnostics with known causes")
struct LabelledSetTests {
  let set = LabelledSet(causes: 50, variants: 40, seed: 7)

  func score(symbolsOfBuilds builds: Int, only isWanted: (LabelledSet.Sample) -> Bool = { _ in true }) -> GroupingScore
  {
    let symbols = set.symbols(ofBuilds: builds)
    let samples = set.samples.filter(isWanted)
    let made = samples.map {
      Grouper().fingerprint(of: NormalizedStack($0.kind, $0.exception, $0.calls), symbols: symbols)
    }
    var counts: [UInt64: (fingerprint: Fingerprint, count: Int)] = [:]
    for fingerprint in made { counts[fingerprint.hash, default: (fingerprint, 0)].count += 1 }
    let homes = TruncatedStacks.homes(of: Array(counts.values))
    return GroupingScore(zip(samples, made).map { ($0.cause, homes[$1.hash] ?? $1.hash) })
  }

  @Test("with symbols one cause is one group across devices, OS versions, builds, inlining and truncated stacks")
  func symbols() {
    let score = score(symbolsOfBuilds: LabelledSet.builds)
    #expect(score.precision >= 0.98, "\(score)")
    #expect(score.recall >= 0.85, "\(score)")
  }

  @Test("without symbols the diagnostics of one build are grouped together")
  func oneBuild() {
    let score = score(symbolsOfBuilds: 0) { $0.build == 2 }
    #expect(score.precision >= 0.95, "\(score)")
    #expect(score.recall >= 0.8, "\(score)")
  }

  @Test("symbols of more builds never split groups")
  func more() {
    let recalls = [0, 3, 6].map { score(symbolsOfBuilds: $0).recall }
    #expect(recalls == recalls.sorted())
  }

  @Test("a normalized stack is equal after it was stored")
  func stored() throws {
    for sample in set.samples.prefix(400) {
      let stack = NormalizedStack(sample.kind, sample.exception, sample.calls)
      let read = try #require(NormalizedStack(encoded: stack.encoded(), title: stack.cause.title))
      #expect(read == stack)
      #expect(read.hash == stack.hash)
    }
    #expect(NormalizedStack(encoded: [1, 200, 3], title: "") == nil)
    #expect(NormalizedStack(encoded: [], title: "") == nil)
  }
}
