import Foundation
import TestSupport
import Testing

@testable import Statistics

@Suite("The search for causes")
struct CauseSearchTests {
  /// One family of `count` members, each its own feature.
  private static func family(_ count: Int) -> CauseTable.Family {
    CauseTable.Family(features: (0..<count).map { [$0] })
  }

  @Test("p-values of a part equal those of the hypergeometric distribution", arguments: [3, 12, 40, 250])
  func hypergeometric(events: Int) throws {
    // Head and base are used alike, so that given all totals the head's events in the part are hypergeometric.
    let (inside, outside) = (events, 3 * events)
    for isRare in [true, false] {
      // With a base that is used a ninth as much, most events are the head's.
      let use = isRare ? (head: 1.0, base: 1.0) : (head: 9.0, base: 1.0)
      let all = inside + outside
      let total = isRare ? all / 2 : all * 9 / 10
      for more in 1...max(2, events / 3) {
        let own = total / 4 + more
        guard own <= inside, total - own <= outside, total - own >= 0 else { continue }
        var table = CauseTable(families: [Self.family(2)])
        table.add(
          [0], head: EventCount(events: Double(own), use: use.head),
          base: EventCount(events: Double(inside - own), use: use.base))
        table.add(
          [1], head: EventCount(events: Double(total - own), use: use.head * 3),
          base: EventCount(events: Double(outside - total + own), use: use.base * 3))
        let model = try #require(CauseModel(table.cells, causes: []))
        var part = CauseDeviation()
        var rest = CauseDeviation()
        part.add(table.cells[0], model.means[0])
        rest.add(table.cells[1], model.means[1])
        let variance = model.scoreVariance([model.variances[0]])
        let found = part.pValue(rest: rest, variance)
        // The middle of the probabilities of at least, and of more than, this number.
        func probability(_ k: Int) -> Double {
          exp(Self.choices(inside, k) + Self.choices(outside, total - k) - Self.choices(all, total))
        }
        let exact = (own..<inside).reduce(0) { $0 + probability($1 + 1) } + probability(own) / 2
        guard exact > 1e-5 else { continue }
        #expect(found > exact * 0.6 && found < exact * 1.1, "\(own) of \(inside), \(total) of \(all)")
      }
    }
  }

  /// The logarithm of n over k.
  private static func choices(_ n: Int, _ k: Int) -> Double {
    k < 0 || k > n ? -.infinity : lgamma(Double(n) + 1) - lgamma(Double(k) + 1) - lgamma(Double(n - k) + 1)
  }

  @Test("the model's factors maximise the likelihood, as a search over a grid finds them")
  func likelihood() throws {
    var table = CauseTable(families: [Self.family(3)])
    let cells: [(head: (Double, Double), base: (Double, Double))] = [
      ((30, 1000), (20, 1500)), ((90, 900), (25, 800)), ((14, 500), (11, 700)),
    ]
    for (index, cell) in cells.enumerated() {
      table.add(
        [index], head: EventCount(events: cell.head.0, use: cell.head.1),
        base: EventCount(events: cell.base.0, use: cell.base.1))
    }
    let model = try #require(CauseModel(table.cells, causes: [[false, true, false]]))
    func likelihood(_ common: Double, _ factor: Double) -> Double {
      cells.enumerated().reduce(0) { sum, entry in
        let (index, cell) = entry
        let odds = exp(common + (index == 1 ? factor : 0)) * cell.head.1 / cell.base.1
        return sum + cell.head.0 * log(odds / (1 + odds)) - cell.base.0 * log(1 + odds)
      }
    }
    var best = (value: -Double.infinity, common: 0.0, factor: 0.0)
    for one in stride(from: -1.0, through: 2, by: 0.01) {
      for other in stride(from: -1.0, through: 2, by: 0.01) {
        let value = likelihood(one, other)
        if value > best.value { best = (value, one, other) }
      }
    }
    #expect(abs(model.coefficients[0] - best.common) < 0.011)
    #expect(abs(model.coefficients[1] - best.factor) < 0.02)
    #expect(likelihood(model.coefficients[0], model.coefficients[1]) >= best.value - 0.01)
  }

  @Test("without a base, a part has more events than its use explains")
  func uses() throws {
    var table = CauseTable(families: [Self.family(3), Self.family(2)])
    // The second member of the first family has three times the events for the same use.
    for one in 0..<3 {
      for other in 0..<2 {
        let use = Double(1000 * (1 + one + other))
        table.add([one, other], head: EventCount(events: use * (one == 1 ? 0.06 : 0.02), use: use))
      }
    }
    let search = CauseSearch(table)
    let cause = try #require(search.causes.first)
    #expect(search.causes.count == 1)
    #expect(cause.part == CausePart([.init(family: 0, index: 1)]))
    #expect(abs((cause.ratio.value ?? 0) - 3) < 0.02)
    #expect(abs(cause.useShare - 5.0 / 15) < 1e-12)
    // Of its 300 events, 200 are beyond what the rest has.
    #expect(abs((cause.explained.value ?? 0) - 200.0 / 500) < 0.002)
  }

  @Test("a part with all events, or without any on the base, is found")
  func extremes() throws {
    var reports = CauseTable(families: [Self.family(4)])
    for member in 0..<4 { reports.add([member], head: EventCount(events: member == 2 ? 300 : 0, use: 1000)) }
    let only = try #require(CauseSearch(reports).causes.first)
    #expect(only.part == CausePart([.init(family: 0, index: 2)]) && only.eventShare == 1)
    #expect(only.ratio.value?.isFinite == true && (only.ratio.low ?? 0) > 2)
    var releases = CauseTable(families: [Self.family(4)])
    for member in 0..<4 {
      let events = member == 1 ? (head: 300.0, base: 0.0) : (head: 40, base: 30)
      releases.add(
        [member], head: EventCount(events: events.head, use: 5000), base: EventCount(events: events.base, use: 5000))
    }
    let new = try #require(CauseSearch(releases).causes.first)
    #expect(new.part == CausePart([.init(family: 0, index: 1)]) && (new.ratio.low ?? 0) > 2)
  }

  @Test("a part that became better by less than the rest is no cause, and nothing is said to be worse")
  func better() {
    var table = CauseTable(families: [Self.family(4)])
    for member in 0..<4 {
      table.add(
        [member], head: EventCount(events: member == 0 ? 190 : 60, use: 5000),
        base: EventCount(events: 200, use: 5000))
    }
    let search = CauseSearch(table)
    #expect(search.causes.isEmpty && search.tested > 0 && !search.isWorse)
  }

  @Test("two parts with the same use are two parts")
  func equalUse() {
    var table = CauseTable(families: [Self.family(4)])
    for member in 0..<4 { table.add([member], head: EventCount(events: member == 3 ? 120 : 30, use: 1000)) }
    #expect(CauseSearch(table).causes.map(\.part) == [CausePart([.init(family: 0, index: 3)])])
  }

  @Test("counts that are no numbers, or without use, change nothing")
  func nonsense() {
    var table = CauseTable(families: [Self.family(2)])
    table.add([0], head: EventCount(events: .nan, use: 10), base: EventCount(events: 1, use: 10))
    table.add([0, 1], head: EventCount(events: 1, use: 10))
    table.add([1], head: EventCount(events: 3, use: 0), base: EventCount(events: 1, use: 10))
    table.add([1], head: EventCount(events: 1e18, use: 1e18), base: EventCount(events: 0, use: 1e-300))
    #expect(CauseSearch(table).causes.isEmpty)
    #expect(CauseSearch(CauseTable(families: [])).causes.isEmpty)
  }
}
