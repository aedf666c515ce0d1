import Fleets

/// The results of comparing two equal releases, and of one that is worse.
struct ComparisonClaims {
  let pairs: Int
  let seed: UInt64

  private static let newerPhones = (base: [0.5, 0.3, 0.2], head: [0.2, 0.3, 0.5])
  private static let classes = [
    Fleet.DeviceClass("iPhone 13", share: 0.4, speed: 1), Fleet.DeviceClass("iPhone 14", share: 0.35, speed: 0.8),
    Fleet.DeviceClass("iPhone 15", share: 0.25, speed: 0.6),
  ]

  func print() throws {
    try printEqual()
    try printFound()
    try printClasses()
  }

  private func fleet(_ phones: Int, _ days: Int, likeness: Double = 0.2) -> Fleet {
    var fleet = Fleet()
    (fleet.phones, fleet.days, fleet.likeness, fleet.launches) = (phones, days, likeness, 2)
    (fleet.variation, fleet.crashes.prone, fleet.classes) = (1, 0.02, Self.classes)
    fleet.releases = [Fleet.Release("4.1.0"), Fleet.Release("4.2.0")]
    return fleet
  }

  /// `only`: a part of the names of the rows to print; nil for all.
  func printEqual(only: String? = nil) throws {
    let table = ClaimTable(
      "Equal releases, eight metrics: tables that call any of them better or worse, that stop a release, in %",
      ["phones", "days", "fleet", "called", "stopped", "classes said to differ"])
    for (phones, days) in [(40, 14), (100, 5), (200, 7), (300, 28)] {
      for kind in EqualFleet.allCases where kind.rawValue.contains(only ?? kind.rawValue) {
        var own = fleet(phones, days)
        kind.change(&own)
        let counts = try ComparisonScenario("", own).play(pairs, seed: seed)
        let differing = counts.heterogeneous.values.reduce(0, +)
        table.row([
          "\(phones)", "\(days)", kind.rawValue, percent(counts.called, of: counts.pairs),
          percent(counts.stopped, of: counts.pairs), percent(differing, of: counts.pairs),
        ])
      }
    }
  }

  private enum EqualFleet: String, CaseIterable {
    case alike = "alike"
    case newer = "head on newer phones"
    case days = "days differ by 30 %, head used on the later ones"

    func change(_ fleet: inout Fleet) {
      switch self {
      case .alike: break
      case .newer: (fleet.releases[0].shares, fleet.releases[1].shares) = (newerPhones.base, newerPhones.head)
      case .days:
        fleet.dayEffect = 0.3
        fleet.releases[0].use = (0..<fleet.days).map { 1 - 0.9 * Double($0) / Double(fleet.days) }
        fleet.releases[1].use = fleet.releases[0].use.reversed()
      }
    }
  }

  private func printFound() throws {
    let table = ClaimTable(
      "A head that is worse: found, in % of pairs (phones of each release)",
      [
        "phones", "days", "launches 10 % slower", "launches 20 %", "hang rate 20 % more", "crashes 20 % more",
        "crashes doubled",
      ])
    for (phones, days) in [(40, 14), (143, 7), (500, 7), (500, 28), (2_000, 7)] {
      func found(_ metric: String, _ measures: Set<Fleet.Measure>, _ change: (inout Fleet.Release) -> Void) throws
        -> String
      {
        var own = fleet(phones, days)
        own.measures = measures
        change(&own.releases[1])
        let counts = try ComparisonScenario("", own).play(max(20, pairs / (phones > 500 ? 8 : 2)), seed: seed)
        return percent(counts.worse[metric] ?? 0, of: counts.pairs)
      }
      table.row([
        "\(phones)", "\(days)", try found("launch.first_draw", [.launches]) { $0.slowdown = 1.1 },
        try found("launch.first_draw", [.launches]) { $0.slowdown = 1.2 },
        try found("hang.rate", [.rates]) { $0.slowdown = 1.2 },
        try found("sessions.crash_free", [.sessions]) { $0.crashing = 1.2 },
        try found("sessions.crash_free", [.sessions]) { $0.crashing = 2 },
      ])
    }
  }

  private func printClasses() throws {
    let table = ClaimTable(
      "Launches 30 % slower on one class of devices, 23 % faster on another: said, in % of pairs",
      ["phones", "days", "classes differ", "a class is worse", "exit status 0"])
    for (phones, days) in [(200, 7), (1_000, 7)] {
      var own = fleet(phones, days)
      own.measures = [.launches]
      own.releases[1].slowdownByClass = [1.3, 0.77, 1]
      let counts = try ComparisonScenario("", own).play(max(20, pairs / 4), seed: seed)
      table.row([
        "\(phones)", "\(days)", percent(counts.heterogeneous["launch.first_draw"] ?? 0, of: counts.pairs),
        percent(counts.worseClass["launch.first_draw"] ?? 0, of: counts.pairs),
        percent(counts.pairs - counts.warned, of: counts.pairs),
      ])
    }
  }
}
