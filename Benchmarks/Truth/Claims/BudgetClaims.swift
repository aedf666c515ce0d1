import Fleets

/// Rates of phones that differ, exactly at budget.
struct RateClaims {
  let fleets: Int
  let seed: UInt64

  func print() throws {
    let table = ClaimTable(
      "Rates exactly at budget: intervals that hold the truth, called broken, called within, in %",
      ["phones", "days", "CV of phones", "hang rate", "hangs per hour", "foreground terminations"])
    for phones in [5, 30, 100, 300] {
      for days in [1, 7, 28] where phones * days >= 10 {
        for variation in [0, 0.5, 1, 1.5] {
          var fleet = Fleet()
          (fleet.phones, fleet.days, fleet.variation, fleet.measures) = (phones, days, variation, [.rates])
          let truth = fleet.trueRates
          let counts = try BudgetScenario(
            "", fleet,
            [
              .init("hang.rate <= \(truth.hangRate) s/h", truth: truth.hangRate),
              .init("hang.frequency <= \(truth.hangFrequency) hangs/h", truth: truth.hangFrequency),
              .init("exits.foreground_abnormal <= \(truth.exits) per 1,000", truth: truth.exits),
            ]
          ).play(fleets, seed: seed)
          table.row(["\(phones)", "\(days)", "\(variation)"] + counts.map(Self.cell))
        }
      }
    }
  }

  private static func cell(_ counts: BudgetScenario.Counts) -> String {
    "\(percent(counts.covered, of: counts.intervals)), \(percent(counts.broken, of: counts.fleets)), "
      + percent(counts.within, of: counts.fleets)
  }
}

/// Percentiles of launches, exactly at budget.
struct PercentileClaims {
  let fleets: Int
  let seed: UInt64

  func print() throws {
    let table = ClaimTable(
      "Launch percentiles exactly at budget: intervals that hold the truth, called broken, in %",
      ["phones", "days", "launches a day", "likeness (ICC)", "p50", "p90", "p95"])
    let cases: [(phones: Int, days: Int, launches: Double, busy: Double?)] = [
      (1, 9, 6, nil), (1, 10, 6, nil), (1, 28, 6, nil), (2, 28, 3, nil), (5, 28, 1.5, nil), (9, 1, 6, nil),
      (10, 1, 6, nil),
      (30, 7, 1.5, nil), (30, 28, 1.5, nil), (30, 7, 5, nil), (200, 7, 1.5, nil), (30, 7, 1.5, 100),
    ]
    for own in cases {
      for likeness in [0, 0.05, 0.2, 0.7] {
        var fleet = Fleet()
        (fleet.phones, fleet.days, fleet.launches) = (own.phones, own.days, own.launches)
        (fleet.likeness, fleet.busyLaunches, fleet.isBusyDaily) = (likeness, own.busy, own.busy != nil)
        fleet.measures = [.launches]
        let counts = try BudgetScenario(own.busy == nil ? "" : "busy", fleet, Self.claims).play(fleets, seed: seed)
        let launches = own.busy.map { "\(own.launches), one phone \(Int($0))" } ?? "\(own.launches)"
        table.row(["\(own.phones)", "\(own.days)", launches, "\(likeness)"] + counts.map(Self.cell))
      }
    }
  }

  private static let claims = [(50, 0), (90, 1.281_551_565_544_6), (95, 1.644_853_626_951_5)].map { rank, normal in
    let truth = Fleet.launchQuantile(normal: normal)
    return BudgetScenario.Claim("p\(rank) launch.first_draw <= \(truth) ms", truth: truth)
  }

  private static func cell(_ counts: BudgetScenario.Counts) -> String {
    "\(percent(counts.covered, of: counts.intervals)), \(percent(counts.broken, of: counts.fleets))"
  }
}

/// Crash-free sessions and user-days, exactly at budget.
struct CrashClaims {
  let fleets: Int
  let seed: UInt64

  func print() throws {
    let table = ClaimTable(
      "Crash-free sessions exactly at 99.5 %: intervals that hold the truth, called broken, called within, in %",
      [
        "users", "days", "anybody", "sessions of a user-day alike, ICC 0.2", "of a user, ICC 0.05",
        "2 % of users crash 40 times as often", "one user-day in 1,000 loops",
      ])
    for (users, days) in [(40, 28), (100, 7), (100, 28), (500, 7), (500, 28)] {
      let cells = try Self.kinds.map { change in
        var fleet = Fleet()
        (fleet.phones, fleet.days, fleet.measures) = (users, days, [.sessions])
        change(&fleet.crashes)
        let truth = 1 - fleet.trueCrashShare
        let counts = try BudgetScenario("", fleet, [.init("sessions.crash_free >= \(truth * 100) %", truth: truth)])
          .play(fleets, seed: seed)[0]
        return "\(percent(counts.covered, of: counts.intervals)), \(percent(counts.broken, of: counts.fleets)), "
          + percent(counts.within, of: counts.fleets)
      }
      table.row(["\(users)", "\(days)"] + cells)
    }
  }

  private static let kinds: [@Sendable (inout Fleet.Crashes) -> Void] = [
    { _ in }, { $0.likeness = 0.2 }, { ($0.likeness, $0.isLasting) = (0.05, true) }, { $0.prone = 0.02 },
    { ($0.share, $0.loops) = (0.003, 1e-3) },
  ]
}
