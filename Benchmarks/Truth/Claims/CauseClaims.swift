import Analysis
import Core
import Fleets
import Foundation
import Statistics
import Storage
import TestSupport

/// Releases that became worse in known parts of their use, or nowhere, and what is named as the cause.
struct CauseClaims {
  /// The number of fleets in each row.
  let fleets: Int
  let seed: UInt64

  func print() {
    print("Where a release became worse", Self.all) { $0.play(&$1) }
    print("From where a group's reports come", Self.groups) { $0.playGroup(&$1) }
  }

  private func print(
    _ title: String, _ all: [(String, @Sendable (inout CauseFleet) -> Void)],
    _ play: (CauseFleet, inout SeededRandom) -> [NamedCause]
  ) {
    let table = ClaimTable(
      "\(title): fleets in which the planted part is named first, and names that are right, in %",
      ["fleet", "found first", "named at all", "names that are right", "fleets with any name", "share explained"])
    for (name, change) in all {
      var fleet = CauseFleet()
      change(&fleet)
      var (first, any, right, names, named, explained) = (0, 0, 0, 0, 0, 0.0)
      for number in 0..<fleets {
        var random = SeededRandom(seed: seed &+ UInt64(number))
        let causes = play(fleet, &random)
        let planted = fleet.planted.map(\.names)
        func isRight(_ cause: NamedCause) -> Bool { planted.contains { Self.isSame($0, cause.names) } }
        if let top = causes.first, isRight(top) { first += 1 }
        if causes.contains(where: isRight) { any += 1 }
        right += causes.count(where: isRight)
        names += causes.count
        named += causes.isEmpty ? 0 : 1
        explained += causes.first?.explained.value ?? 0
      }
      table.row([
        name, percent(first, of: fleets), percent(any, of: fleets), percent(right, of: names),
        percent(named, of: fleets), named > 0 ? percent(Int(explained * 100), of: named * 100) : "–",
      ])
    }
  }

  private static func isSame(_ one: [NamedCause.Name], _ other: [NamedCause.Name]) -> Bool {
    one.count == other.count && one.allSatisfy(other.contains)
  }

  private static let system = NamedCause.Name(dimension: .os, value: "iOS 18.6")
  private static let model = NamedCause.Name(dimension: .device, value: "iPhone15,2")
  private static let phones = NamedCause.Name(dimension: .deviceClass, value: "iPhone 12 and older")
  private static let arm = NamedCause.Name(dimension: .attribute, value: "experiment=b")

  private static let screens = ["Cart", "Feed", "Search", "Photo", "Login", "Map"]
  private static let screen = NamedCause.Name(dimension: .label, value: "Cart")
  private static let second = NamedCause.Name(dimension: .release, value: "4.2.0 (2)")

  private static let groups: [(String, @Sendable (inout CauseFleet) -> Void)] = [
    ("all use alike", { _ in }),
    ("all use alike, three releases", { $0.builds = ["1", "2", "3"] }),
    ("all use alike, few reports", { ($0.sessions, $0.builds) = (20_000, ["1", "2"]) }),
    ("three times on one OS version", { $0.planted = [([system], 3)] }),
    ("three times on a model", { $0.planted = [([model], 3)] }),
    (
      "three times in one release, which new systems have",
      { ($0.builds, $0.planted) = (["1", "2"], [([second], 3)]) }
    ),
    (
      "three times on iOS 26, which the new release mostly runs",
      { ($0.builds, $0.planted) = (["1", "2"], [([.init(dimension: .os, value: "iOS 26.*")], 3)]) }
    ),
    ("four times on iOS 18.6 for one half of a flag", { $0.planted = [([system, arm], 4)] }),
    (
      "three times on one OS version, a model that mostly runs it",
      {
        $0.planted = [([system], 3)]
        $0.decoy = ("iPhone15,2", "iOS 18.6")
      }
    ),
  ]

  private static let all: [(String, @Sendable (inout CauseFleet) -> Void)] = [
    ("equal", { _ in }),
    ("twice everywhere", { $0.everywhere = 2 }),
    ("equal, many crashes", { ($0.crashes, $0.sessions) = (0.02, 200_000) }),
    ("equal, few crashes", { $0.sessions = 40_000 }),
    ("twice on one OS version", { $0.planted = [([system], 2)] }),
    ("three times on one OS version", { $0.planted = [([system], 3)] }),
    ("three times on one OS version, few crashes", { ($0.planted, $0.sessions) = ([([system], 3)], 60_000) }),
    ("three times on one model", { $0.planted = [([model], 3)] }),
    ("twice on old phones", { $0.planted = [([phones], 2)] }),
    ("twice on iOS 18", { $0.planted = [([.init(dimension: .os, value: "iOS 18.*")], 2)] }),
    ("twice for one half of a flag", { $0.planted = [([arm], 2)] }),
    (
      "three times on old phones with iOS 26",
      {
        $0.planted = [([phones, .init(dimension: .os, value: "iOS 26.*")], 3)]
      }
    ),
    ("four times on iOS 18.6 for one half of a flag", { $0.planted = [([system, arm], 4)] }),
    (
      "three times on one OS version, a model that mostly runs it",
      {
        $0.planted = [([system], 3)]
        $0.decoy = ("iPhone15,2", "iOS 18.6")
      }
    ),
    (
      "three times on a model, which mostly runs one OS version",
      {
        $0.planted = [([model], 3)]
        $0.decoy = ("iPhone15,2", "iOS 18.6")
      }
    ),
    ("equal, two builds and six screens", { ($0.builds, $0.labels, $0.crashes) = (["1", "2"], screens, 0.01) }),
    (
      "three times in the second build, which new systems have",
      { ($0.builds, $0.planted) = (["1", "2"], [([second], 3)]) }
    ),
    (
      "three times on one OS version, two builds",
      { ($0.builds, $0.planted) = (["1", "2"], [([system], 3)]) }
    ),
    (
      "twice on one of six screens",
      { ($0.labels, $0.crashes, $0.planted) = (screens, 0.01, [([screen], 2)]) }
    ),
    (
      "three times on one of six screens on old phones",
      { ($0.labels, $0.crashes, $0.planted) = (screens, 0.01, [([screen, phones], 3)]) }
    ),
    ("two causes", { $0.planted = [([phones], 2), ([arm], 2)] }),
    (
      "one OS version, and 1.3 times everywhere",
      {
        $0.everywhere = 1.3
        $0.planted = [([system], 3)]
      }
    ),
  ]
}
