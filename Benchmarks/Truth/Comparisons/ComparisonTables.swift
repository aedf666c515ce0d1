import Fleets
import Foundation

/// How often two releases that do not differ are told apart, and one that is slower is found.
struct ComparisonTables {
  let pairs: Int

  func print() {
    Swift.print("Any of six metrics called better or worse though nothing differs:\n")
    Swift.print("| phones | days | adoption | likeness | told apart |")
    Swift.print("|---|---|---|---|---|")
    for (phones, days, isNewer) in [(100, 5, false), (200, 7, true), (40, 14, false)] {
      for likeness in [0, 0.05, 0.1, 0.2, 0.4, 0.7] {
        var fleet = ReleaseFleet(phones: phones, days: days, likeness: likeness)
        if isNewer { fleet.adoption = (base: [0.5, 0.3, 0.2], head: [0.2, 0.3, 0.5]) }
        let found = share(fleet) { !$0.isEmpty }
        Swift.print("| \(phones) | \(days) | \(isNewer ? "newer phones" : "equal") | \(likeness) | \(found) |")
        fflush(nil)
      }
    }
    Swift.print("\nA launch that takes 10 % longer, 2,000 launches of each release:\n")
    Swift.print("| phones | days | likeness | found | called faster |")
    Swift.print("|---|---|---|---|---|")
    for (phones, days, launches) in [(2_000, 1, 1.0), (1_000, 1, 2.0), (500, 2, 2.0), (143, 7, 2.0)] {
      for likeness in [0, 0.1, 0.2, 0.4] {
        var fleet = ReleaseFleet(phones: phones, days: days, likeness: likeness, slowdown: 1.1)
        fleet.launches = launches
        let found = share(fleet) { $0.contains("+launch") }
        let wrong = share(fleet) { $0.contains("-launch") }
        Swift.print("| \(phones) | \(days) | \(likeness) | \(found) | \(wrong) |")
        fflush(nil)
      }
    }
  }

  private func share(_ fleet: ReleaseFleet, _ isFound: ([String]) -> Bool) -> String {
    var random = FleetRandom(UInt64(fleet.likeness * 1_000) + UInt64(fleet.phones))
    let count = (0..<pairs).count { _ in
      isFound(
        ReleaseTable(
          base: fleet.release(isHead: false, &random), head: fleet.release(isHead: true, &random)
        ).differing)
    }
    return percent(count, of: pairs)
  }
}
