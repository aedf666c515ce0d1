import Fleets
import Foundation

/// How often crash-free sessions exactly at budget are called broken.
struct CrashFreeTable {
  let fleets: Int

  func print() {
    Swift.print("| users | days | who crashes | mean design effect | called broken |")
    Swift.print("|---|---|---|---|---|")
    for (users, days) in [(100, 7), (500, 7), (100, 28)] {
      print(SessionFleet(users: users, days: days), "anybody")
      for likeness in [0.05, 0.1, 0.2, 0.4, 0.7] {
        print(SessionFleet(users: users, days: days, likeness: likeness), "user-days, likeness \(likeness)")
      }
      for likeness in [0.02, 0.05, 0.2] {
        print(
          SessionFleet(users: users, days: days, likeness: likeness, isLasting: true),
          "users all week, likeness \(likeness)")
      }
      for loops in [1e-4, 1e-3] {
        let fleet = SessionFleet(users: users, days: days, crashed: 0.003, loops: loops)
        print(fleet, "anybody; 1 user-day in \(Int(1 / loops)) loops 30 times")
      }
      print(SessionFleet(users: users, days: days, hasLoopingUser: true), "anybody; one user in every second session")
    }
    Swift.print("")
  }

  private func print(_ fleet: SessionFleet, _ who: String) {
    var random = FleetRandom(UInt64(fleet.likeness * 1_000) + UInt64(fleet.users))
    var broken = 0
    var effects = 0.0
    for _ in 0..<fleets {
      let (userDays, returning) = fleet.window(&random)
      let result = isCrashFreeBroken(userDays, returning, allowed: fleet.expected)
      effects += result.effect
      if result.broken { broken += 1 }
    }
    let effect = String(format: "%.2f", effects / Double(fleets))
    Swift.print("| \(fleet.users) | \(fleet.days) | \(who) | \(effect) | \(percent(broken, of: fleets)) |")
    fflush(nil)
  }
}
