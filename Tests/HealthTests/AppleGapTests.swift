import HealthScene
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("The difference between Apple's number and Plumb's")
struct AppleGapTests {
  /// One launch of the simulated fleet.
  private struct Launch {
    var day: Int
    var version: String
    var model: String
    var value: Double
  }

  private static let windowStart = 11

  /// Launches of November 2026 that are slower on early days, in version 4.2.0 and on iPads, by known factors.
  private static let fleet: [Launch] = {
    var random = SeededRandom(seed: 7)
    var launches: [Launch] = []
    for day in 1...20 {
      for version in ["4.1.0", "4.2.0"] where version == "4.1.0" || day > 4 {
        for (model, factor) in [("iPhone15,2", 1.0), ("iPhone12,1", 1.5), ("iPad13,4", 2.2)] {
          for _ in 0..<30 {
            let noise = 0.8 + 0.4 * Double.random(in: 0..<1, using: &random)
            let early = day < windowStart ? 1.3 : 1
            let newer = version == "4.2.0" ? 1.2 : 1
            launches.append(
              Launch(day: day, version: version, model: model, value: 400 * factor * early * newer * noise))
          }
        }
      }
    }
    return launches
  }()

  private func scene() throws -> Scene {
    let scene = try Scene()
    let groups = Dictionary(grouping: Self.fleet) { "\($0.day) \($0.version) \($0.model)" }
    // Ten launches are one payload.
    let bodies = groups.sorted { $0.key < $1.key }.flatMap { _, launches in
      stride(from: 0, to: launches.count, by: 10).map { start in
        let part = launches[start..<min(start + 10, launches.count)]
        let day = part[start].day < 10 ? "0\(part[start].day)" : "\(part[start].day)"
        let values = part.map {
          #"{"metric": "launch.first_draw", "value": \#($0.value), "unit": "ms", "at": "2026-11-\#(day)T10:00:00Z"}"#
        }
        return Scene.native(
          version: part[start].version, model: part[start].model,
          "\"measurements\": [\(values.joined(separator: ","))]")
      }
    }
    try scene.receive(bodies)
    return scene
  }

  /// The 90th percentile of the launches, by sorting them.
  private func p90(_ isMeant: (Launch) -> Bool) -> Double {
    let values = Self.fleet.filter(isMeant).map(\.value).sorted()
    return values[Int((0.9 * Double(values.count)).rounded(.up)) - 1]
  }

  private func figure(_ value: Double, margin: Double? = nil, version: String = "4.2.0") -> AppStoreFigure {
    AppStoreFigure(
      .init(
        platform: "iOS", category: "LAUNCH", metric: "launchTime", device: "all_iphones", percentile: "p90",
        version: version),
      deviceName: "All iPhones", unit: "s", value: value / 1000, errorMargin: margin.map { $0 / 1000 })
  }

  private func gaps(_ figures: [AppStoreFigure], release: String? = nil, device: String? = nil) throws
    -> [AppStoreGapDecomposition]
  {
    let scene = try scene()
    let query = ReportQuery(from: CalendarDay(iso: "2026-11-\(Self.windowStart)"), release: release, device: device)
    let reader = HealthReader(store: scene.store, budgets: [])
    return try reader.appleGaps(
      figures, of: "launch.first_draw", reader.scope(of: Scene.app, query, now: Scene.now))
  }

  @Test("the parts of the difference are those of a fleet in which days, version and devices are known")
  func parts() throws {
    // People who share analytics are slower by 7 %.
    let apple = p90 { $0.version == "4.2.0" && $0.model.hasPrefix("iPhone") } * 1.07
    let gap = try #require(try gaps([figure(apple, margin: 30)]).first)
    #expect(gap.version == "4.2.0" && gap.rank == 90 && gap.unit == .milliseconds)

    // By hand: each order of the three changes, each number by sorting the launches.
    func number(_ days: Bool, _ versions: Bool, _ devices: Bool) -> Double {
      p90 { launch in
        (days ? launch.day > 4 : launch.day >= Self.windowStart) && (!versions || launch.version == "4.2.0")
          && (!devices || launch.model.hasPrefix("iPhone"))
      }
    }
    var expected = [0.0, 0, 0]
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    for order in orders {
      var state = [false, false, false]
      for change in order {
        let before = number(state[0], state[1], state[2])
        state[change] = true
        expected[change] += (number(state[0], state[1], state[2]) - before) / Double(orders.count)
      }
    }
    // A bucket is 1.09 % wide, and each part is a mean of differences of two numbers.
    let tolerance = 0.0109 * number(false, false, false) * 2
    #expect(gap.parts.map(\.cause) == [.days, .versions, .devices])
    for (part, truth) in zip(gap.parts, expected) {
      #expect(abs(part.value - truth) < tolerance, "\(part) \(truth)")
    }
    #expect(expected[0] > 20 && expected[1] > 20 && expected[2] < -100, "the fleet has all three: \(expected)")
    let rest = apple / 1.07 * 0.07
    #expect(
      abs((gap.rest.value ?? 0) - rest) < tolerance
        && abs((gap.measured.value ?? 0) - number(false, false, false)) < tolerance)
    let sum = gap.parts.reduce(gap.rest.value ?? 0) { $0 + $1.value }
    #expect(abs(sum - (gap.total.value ?? 0)) < 0.001, "the parts and the rest are the whole")
    #expect((gap.total.low ?? 0) < (gap.total.value ?? 0) && (gap.total.value ?? 0) < (gap.total.high ?? 0))
  }

  @Test("without a difference in days, version and devices, the whole difference is the rest")
  func rest() throws {
    let apple = p90 { $0.version == "4.2.0" && $0.day >= Self.windowStart } * 1.5
    let all = try #require(try gaps([figure(apple)], release: "4.2.0").first)
    #expect(all.parts[1].value == 0, "the page already shows the version")
  }

  @Test("Apple's number is not compared with filtered numbers, with unknown versions or with a single number")
  func impossible() throws {
    #expect(try gaps([figure(500)], device: "iPhone15,2").isEmpty)
    #expect(try gaps([figure(500, version: "9.9.9")]).isEmpty)
    #expect(try gaps([]).isEmpty)
    #expect(try gaps([figure(500), figure(480, version: "9.9.9")]).map(\.version) == ["4.2.0"])
  }

  @Test("the interval of a difference of two numbers covers the truth in 95 of 100 samples")
  func coverage() {
    var random = SeededRandom(seed: 3)
    func normal() -> Double {
      (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
    }
    func sample(_ mean: Double, _ deviation: Double) -> Estimate {
      let value = mean + deviation * normal()
      return Estimate(value: value, low: value - 1.96 * deviation, high: value + 1.96 * deviation)
    }
    let rounds = 20_000
    let covered = (0..<rounds).count { _ in
      let difference = AppStoreGapDecomposition.difference(sample(1_420, 20), sample(1_310, 12))
      return (difference.low ?? 0) <= 110 && 110 <= (difference.high ?? 0)
    }
    #expect(abs(Double(covered) / Double(rounds) - 0.95) < 0.005, "\(covered)")
    #expect(
      AppStoreGapDecomposition.difference(Estimate(value: 5), Estimate(value: 3)) == Estimate(value: 2, low: 2, high: 2)
    )
  }
}
