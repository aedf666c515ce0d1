import Fleets
import Foundation
import Statistics

/// How often p50, p90 and p95 exactly at budget are called broken.
struct PercentileTable {
  let fleets: Int

  func print() {
    Swift.print("| phones | days | launches a day | likeness | mean design effect | p50 | p90 | p95 |")
    Swift.print("|---|---|---|---|---|---|---|---|")
    for (days, launches) in [(7, 1.5), (28, 1.5), (7, 5), (14, 0.3)] {
      for likeness in [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7] {
        print(LaunchFleet(days: days, launches: launches, likeness: likeness), "\(launches)")
      }
    }
    for likeness in [0, 0.02, 0.05, 0.2] { print(LaunchFleet(phones: 200, likeness: likeness), "1.5") }
    for likeness in [0, 0.02, 0.05, 0.1, 0.2] {
      print(LaunchFleet(likeness: likeness, busyLaunches: 100), "1.5, one phone 100 on one day")
      print(LaunchFleet(likeness: likeness, busyLaunches: 14, isBusyDaily: true), "1.5, one phone 14 every day")
      print(LaunchFleet(likeness: likeness, busyLaunches: 100, isBusyDaily: true), "1.5, one phone 100 every day")
    }
    Swift.print("")
  }

  private func print(_ fleet: LaunchFleet, _ launches: String) {
    var random = FleetRandom(UInt64(fleet.likeness * 1_000) + UInt64(fleet.days))
    var broken = [0, 0, 0]
    var effects = 0.0
    for _ in 0..<fleets {
      let (histogram, phones) = fleet.window(&random)
      let effect = DesignEffect.forDistribution(histogram, phones: phones, oneValuePerCluster: false)
      let reader = HistogramReader(histogram)
      effects += effect.value
      for (place, verdict) in PercentileVerdict.all.enumerated() where verdict.isBroken(reader, effect) {
        broken[place] += 1
      }
    }
    let shares = broken.map { percent($0, of: fleets) }.joined(separator: " | ")
    let effect = String(format: "%.2f", effects / Double(fleets))
    Swift.print("| \(fleet.phones) | \(fleet.days) | \(launches) | \(fleet.likeness) | \(effect) | \(shares) |")
    fflush(nil)
  }
}

func percent(_ count: Int, of all: Int) -> String { String(format: "%.1f %%", 100 * Double(count) / Double(all)) }
