import Fleets
import Foundation

/// How many phones a comparison needs until it finds a planted regression, and how many a test needs that knows every
/// phone.
struct PowerClaims {
  /// The number of fleets in each row.
  let fleets: Int
  let seed: UInt64

  func print(only: String? = nil) throws {
    let rows = Self.all.filter { only == nil || $0.name.contains(only ?? "") }
    let needed = ClaimTable(
      "Phones of each release until a regression is found in \(Int(100 * Self.power)) % of fleets after seven days",
      ["regression", "compare says worse", "its p < 0.05", "reference test, p < 0.05", "ratio", "limit"])
    for row in rows {
      let phones = try phones(row)
      needed.row([
        row.name, Self.text(phones.compare), Self.text(phones.significant), Self.text(phones.reference),
        String(format: "%.2f", phones.compare / phones.reference), row.limit.isFinite ? "\(row.limit)" : "–",
      ])
    }
    let equal = ClaimTable(
      "Equal releases: fleets with p < 0.05, and fleets called worse or better, in %",
      ["fleet", "phones", "compare, p < 0.05", "called", "reference test, p < 0.05"])
    for (name, kind) in Self.kinds where only == nil || name.contains(only ?? "") {
      for size in [60, 300, 2_500] {
        var fleet = kind
        fleet.phones = size
        let counts = try PowerScenario(fleet).play(size > 1_000 ? fleets : fleets * 3, seed: seed)
        equal.row([
          name, "\(size)", percent(counts.significant, of: counts.fleets),
          percent(counts.worse + counts.better, of: counts.fleets),
          percent(counts.referenceSignificant, of: counts.fleets),
        ])
      }
    }
  }

  private struct Row {
    let name: String
    let limit: Double
    let fleet: PowerFleet

    init(
      _ name: String, _ vital: PowerFleet.Vital, factor: Double, limit: Double,
      _ change: (inout PowerFleet) -> Void = { _ in }
    ) {
      (self.name, self.limit) = (name, limit)
      fleet = PowerClaims.fleet(vital) {
        $0.factor = factor
        change(&$0)
      }
    }
  }

  private static let all = [
    Row("crashes doubled", .crashes, factor: 2, limit: 1.2),
    Row("launches 15 % slower", .launches, factor: 1.15, limit: 1.5),
    Row("launches 15 % slower, phones differ more", .launches, factor: 1.15, limit: 1.5) { $0.likeness = 0.4 },
    Row("launches 15 % slower, a tenth of the phones half as fast", .launches, factor: 1.15, limit: 1.5) {
      $0.slowPhones = 0.1
    },
    Row("cold launches 30 % slower", .launches, factor: 1, limit: .infinity) { $0.coldFactor = 1.3 },
    Row("hangs 1.5 times as long", .hangs, factor: 1.5, limit: 1.3) { $0.hasLongerHangs = true },
    Row("hangs 1.5 times as often", .hangs, factor: 1.5, limit: 1.3),
  ]

  /// Fleets in which both releases are equal.
  private static let kinds: [(name: String, fleet: PowerFleet)] = [
    ("crashes", fleet(.crashes)),
    ("hangs", fleet(.hangs)),
    ("launches", fleet(.launches)),
    ("launches, phones alike", fleet(.launches) { $0.likeness = 0 }),
    ("launches, phones differ more", fleet(.launches) { $0.likeness = 0.4 }),
    ("launches, a tenth of the phones half as fast", fleet(.launches) { $0.slowPhones = 0.1 }),
    ("launches, a tenth of the phones a third as fast", fleet(.launches) { ($0.slowPhones, $0.slowness) = (0.1, 3) }),
    ("launches, one phone of 20 used ten times as much", fleet(.launches) { $0.busyPhones = 0.05 }),
    ("launches, 0.4 a day", fleet(.launches) { $0.launches = 0.4 }),
    ("launches, a fifth cold", fleet(.launches) { $0.coldFactor = 1 }),
  ]

  private static func fleet(
    _ vital: PowerFleet.Vital, _ change: (inout PowerFleet) -> Void = { _ in }
  ) -> PowerFleet {
    var fleet = PowerFleet(vital, phones: 0)
    change(&fleet)
    return fleet
  }

  private static let power = 0.8
  /// The numbers of phones that are tried, each a quarter more than the one before.
  private static let sizes = (0..<20).map { Int((20 * pow(1.25, Double($0))).rounded()) }

  /// The numbers of phones at which the tests find the regression in 80 % of fleets, by interpolation between the tried
  /// ones.
  private func phones(_ row: Row) throws -> (compare: Double, significant: Double, reference: Double) {
    var found: [(size: Int, counts: PowerScenario.Counts)] = []
    for size in Self.sizes {
      var fleet = row.fleet
      fleet.phones = size
      let counts = try PowerScenario(fleet).play(fleets, seed: seed)
      found.append((size, counts))
      let least = min(counts.worse, counts.significantWorse, counts.referenceWorse)
      if Double(least) >= Self.power * Double(counts.fleets) { break }
    }
    func crossing(_ path: KeyPath<PowerScenario.Counts, Int>) -> Double {
      Self.crossing(found.map { ($0.size, Double($0.counts[keyPath: path]) / Double($0.counts.fleets)) })
    }
    return (crossing(\.worse), crossing(\.significantWorse), crossing(\.referenceWorse))
  }

  /// The size at which the share first reaches 80 %, on a logarithmic scale; infinite if it never does.
  private static func crossing(_ shares: [(size: Int, share: Double)]) -> Double {
    guard let index = shares.firstIndex(where: { $0.share >= power }) else { return .infinity }
    guard index > 0 else { return Double(shares[0].size) }
    let (low, high) = (shares[index - 1], shares[index])
    let part = (power - low.share) / (high.share - low.share)
    return Double(low.size) * pow(Double(high.size) / Double(low.size), part)
  }

  private static func text(_ phones: Double) -> String { phones.isFinite ? "\(Int(phones.rounded()))" : "–" }
}
