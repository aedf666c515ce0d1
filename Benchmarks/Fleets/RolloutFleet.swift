public import Core
import Foundation
import Statistics
import Storage
public import TestSupport

/// Phones that move from 4.1.0 to 4.2.0 in a phased release, each on a day of its own. Whether the releases differ is
/// known.
public struct RolloutFleet: Sendable {
  public var phones = 500
  /// The days before the new release. The base is rolled out on the first seven of them.
  public var daysBefore = 28
  /// The days of the new release.
  public var days = 14
  /// The share of phones that have been offered a release, on the days since it began.
  public var ramp = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
  public var order = Order.random
  /// The order in which phones updated to the base.
  public var baseOrder = Order.random
  /// Whether the base was installed on all phones before the first day, so that its own rollout is unknown.
  public var isBaseSettled = false

  /// The mean sessions of a phone per day, and the deviation of its logarithm between phones.
  public var sessions = 3.0
  public var sessionSpread = 0.6
  /// The share of crashed sessions, and the squared coefficient of variation of that share between phones.
  public var crashes = 0.003
  public var crashVariation = 1.0
  /// The correlation of the logarithms of two launches of one phone.
  public var likeness = 0.2
  /// The mean hangs of a phone per day.
  public var hangs = 0.5

  /// The factor of the first launch after an update, and of the chance that the first session crashes.
  public var firstLaunch = 1.0
  public var firstSession = 1.0
  /// The amplitude of a weekly cycle of all crashes, hangs and launch times.
  public var season = 0.0
  /// The factors of crashes in three time zones, in both releases. Each zone is used at its own time of the day.
  public var zoneCrashes = [1.0, 1, 1]
  /// The factors of crashes, and of launch and hang times, of heavy users, in both releases. Heavy
  /// users are the `heavyShare` of users who use the app most.
  public var heavyShare = 0.3
  public var heavyCrashes = 1.0
  public var heavySlowness = 1.0
  /// Whether sessions name the installation.
  public var namesInstallations = true
  /// Whether launches state the first run of their release.
  public var statesFirstRuns = false
  /// The factor of crashes and hangs on one day of the rollout, in both releases.
  public var outage: (day: Int, factor: Double)?

  /// The factors of the new release: launch times, the first launch only, crashes, hangs.
  public var slowerLaunch = 1.0
  public var slowerFirstLaunch = 1.0
  public var moreCrashes = 1.0
  public var moreHangs = 1.0

  public init() {}

  public enum Order: Sendable {
    /// Each phone is offered the update at random.
    case random
    /// The more a phone is used, the earlier it updates. `strength`: 1 for a strict order, 0 for a random one.
    case heavyFirst(strength: Double)
  }

  public static let base = "4.1.0"
  public static let head = "4.2.0"

  /// The first day of the new release.
  public var firstDay: CalendarDay { FleetStore.firstDay + daysBefore }

  /// The data that all phones sent.
  public func play(_ random: inout SeededRandom) -> FleetStore {
    let store = FleetStore()
    forEachDay(&random) { person, day, since, random in person.use(day, since, store, &random) }
    return store
  }

  /// The data of one phone on one day, and the minute at which it arrives, from the beginning of the fleet.
  struct Part {
    var minute: Int
    var data: FleetStore
  }

  /// The data of all phones by the time of their arrival.
  func parts(_ random: inout SeededRandom) -> [Part] {
    var parts: [Part] = []
    forEachDay(&random) { person, day, since, random in
      let part = Part(minute: day * 1440 + person.minute, data: FleetStore())
      person.use(day, since, part.data, &random)
      parts.append(part)
    }
    return parts.sorted { $0.minute < $1.minute }
  }

  /// Passes each day of each phone, and when the phone updated to the release of that day.
  private func forEachDay(
    _ random: inout SeededRandom, _ body: (Person, Int, Person.Update, inout SeededRandom) -> Void
  ) {
    let people = (0..<phones).map { number in Person(self, number, &random) }
    let updates = updateDays(people, order, &random)
    let earlier = updateDays(people, baseOrder, &random)
    for (number, person) in people.enumerated() {
      let base = Person.Update(isHead: false, day: isBaseSettled ? -100 : earlier[number])
      let head = Person.Update(isHead: true, day: daysBefore + updates[number])
      for day in min(max(base.day, 0), head.day)..<(daysBefore + days) {
        body(person, day, day >= head.day ? head : base, &random)
      }
    }
  }

  /// The day on which each phone updates.
  private func updateDays(_ people: [Person], _ order: Order, _ random: inout SeededRandom) -> [Int] {
    let ranks = people.map { person -> Double in
      let chance = random.uniform()
      if case .heavyFirst(let strength) = order { return (1 - strength) * chance - strength * person.rank }
      return chance
    }
    var days = [Int](repeating: 0, count: people.count)
    for (position, number) in ranks.indices.sorted(by: { ranks[$0] < ranks[$1] }).enumerated() {
      let share = (Double(position) + 0.5) / Double(people.count)
      days[number] = ramp.firstIndex { share <= $0 } ?? ramp.count
    }
    return days
  }
}

/// One phone and its user.
private struct Person {
  let fleet: RolloutFleet
  let user: UInt64
  let deviceClass: String
  let speed: Double
  let level: Double
  /// The place among all users by intensity, 0 to 1.
  let rank: Double
  let sessions: Double
  let crashes: Double
  let hangs: Double
  /// The factor of launch and hang times.
  let slowness: Double
  /// The minute of the day at which the phone's data arrive.
  let minute: Int

  init(_ fleet: RolloutFleet, _ number: Int, _ random: inout SeededRandom) {
    self.fleet = fleet
    let hash = UInt64(number + 1) &* 0x9e37_79b9_7f4a_7c15
    user = hash ^ (hash >> 31)
    let kind = random.uniform()
    (deviceClass, speed) = kind < 0.5 ? ("iPhone 15", 1) : kind < 0.8 ? ("iPhone 13", 1.25) : ("iPhone 11", 1.6)
    level = fleet.likeness.squareRoot() * random.normal()
    let z = random.normal()
    rank = 0.5 * erfc(-z / 2.0.squareRoot())
    sessions = fleet.sessions * exp(fleet.sessionSpread * z - fleet.sessionSpread * fleet.sessionSpread / 2)
    func rate(_ variation: Double, _ random: inout SeededRandom) -> Double {
      variation > 0 ? random.gamma(1 / variation) * variation : 1
    }
    let zone = Int(hash % 3)
    let isHeavy = rank >= 1 - fleet.heavyShare
    slowness = isHeavy ? fleet.heavySlowness : 1
    crashes =
      fleet.crashes * rate(fleet.crashVariation, &random) * fleet.zoneCrashes[zone] * (isHeavy ? fleet.heavyCrashes : 1)
    hangs = fleet.hangs * rate(1, &random)
    minute = zone * 480 + Int((hash >> 8) % 480)
  }

  /// An update of the phone.
  struct Update {
    let isHead: Bool
    let day: Int
  }

  func use(_ day: Int, _ update: Update, _ store: FleetStore, _ random: inout SeededRandom) {
    let isHead = update.isHead
    let count = random.poisson(sessions)
    guard count > 0 else { return }
    let release = isHead ? RolloutFleet.head : RolloutFleet.base
    let number = FleetStore.firstDay.number + day
    let key = FleetStore.Key(release: release, deviceClass: deviceClass, day: number)
    let season = 1 + fleet.season * sin(2 * .pi * Double(day) / 7)
    let outage = fleet.outage.map { $0.day + fleet.daysBefore == day ? $0.factor : 1 } ?? 1
    let isUpdate = day == update.day
    let tally = tally(count, isHead, isUpdate, season * outage, day - update.day, key, store, &random)
    store.change(key) { rows in
      rows.sessions.merge(tally)
      if fleet.namesInstallations {
        if tally.crashedUserDays > 0 { rows.users.crashed.insert(user) }
        rows.users.all.insert(user)
      }
      let age = UpdateAge(of: CalendarDay(number: day), since: CalendarDay(number: update.day))
      launch(count, isHead, isUpdate, age, season, &rows, &random)
      hang(isHead, season * outage, &rows, &random)
    }
  }

  private func tally(
    _ count: Int, _ isHead: Bool, _ isUpdate: Bool, _ factor: Double, _ age: Int, _ key: FleetStore.Key,
    _ store: FleetStore, _ random: inout SeededRandom
  ) -> SessionTally {
    var crashed = 0
    var tally = SessionTally()
    for session in 0..<count {
      let isFirst = isUpdate && session == 0
      let chance = crashes * factor * (isHead ? fleet.moreCrashes : 1) * (isFirst ? fleet.firstSession : 1)
      let isCrashed = random.uniform() < min(1, chance)
      crashed += isCrashed ? 1 : 0
      guard fleet.namesInstallations else {
        tally.userDays.add(x: isCrashed ? 1 : 0, y: 1)
        continue
      }
      let day = CalendarDay(number: key.day)
      store.addSession(key, isFirst ? .firstSession : UpdateAge(of: day, since: day - age), isCrashed: isCrashed)
    }
    tally[.healthy] = Int64(count - crashed)
    tally[.crashed] = Int64(crashed)
    guard fleet.namesInstallations else { return tally }
    tally.userDays.add(x: Int64(crashed), y: Int64(count))
    tally.knownUserDays = 1
    tally.crashedUserDays = crashed > 0 ? 1 : 0
    return tally
  }

  private func launch(
    _ count: Int, _ isHead: Bool, _ isUpdate: Bool, _ age: UpdateAge, _ season: Double, _ rows: inout FleetStore.Day,
    _ random: inout SeededRandom
  ) {
    var payload = ClusterSum()
    var aged: [UpdateAge: ClusterSum] = [:]
    for launch in 0..<count {
      let isFirst = isUpdate && launch == 0
      let noise = level + (1 - fleet.likeness).squareRoot() * random.normal()
      let factor =
        speed * slowness * season * (isHead ? fleet.slowerLaunch : 1)
        * (isFirst ? fleet.firstLaunch * (isHead ? fleet.slowerFirstLaunch : 1) : 1)
      let low = (Fleet.median * exp(Fleet.deviation * noise) * factor / 10).rounded(.down) * 10
      rows.launches.insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &payload)
      guard fleet.statesFirstRuns else { continue }
      let own = isFirst ? .firstSession : age
      rows.launchesByAge[own, default: Histogram(scheme: .logarithmic)].insertSpan(
        low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &aged[own, default: ClusterSum()])
    }
    rows.launches.close(payload)
    for (age, cluster) in aged { rows.launchesByAge[age]?.close(cluster) }
    rows.payloads.payloads += 1
    rows.payloads.steps += 1
  }

  private func hang(_ isHead: Bool, _ factor: Double, _ rows: inout FleetStore.Day, _ random: inout SeededRandom) {
    let use = exp(0.5 * random.normal() - 0.125) * sessions / fleet.sessions
    let count = random.poisson(hangs * use * factor * (isHead ? fleet.moreHangs : 1))
    var payload = ClusterSum()
    var time = 0.0
    for _ in 0..<count {
      let low =
        (slowness * (250 + Fleet.hang.median * exp(Fleet.hang.deviation * random.normal())) / 10).rounded(.down) * 10
      rows.hangs.insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &payload)
      time += low + 5
    }
    rows.hangs.close(payload)
    let foreground = Int64((Fleet.foreground * use).rounded())
    rows.hangRate.add(x: Int64(time), y: foreground)
    rows.hangFrequency.add(x: Int64(count), y: foreground)
  }
}
