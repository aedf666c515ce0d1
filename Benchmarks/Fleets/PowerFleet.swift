import Core
import Foundation
import Statistics
import Storage
import TestSupport

/// Two releases that as many phones use, one of which may be worse in one vital: the rows that Plumb stores, and the
/// phones' own numbers, which a test that knows the phones can use.
public struct PowerFleet: Sendable {
  public var vital: Vital
  /// The phones of each release.
  public var phones: Int
  public var days = 7
  /// The factor by which the vital is worse on the newer release.
  public var factor = 1.0
  /// Whether hangs are longer by this factor, rather than more.
  public var hasLongerHangs = false
  /// Mean launches of a phone per day.
  public var launches = 2.0
  /// The correlation of the logarithms of two launches of one phone.
  public var likeness = 0.2
  /// The share of phones on which launches take longer than on others of their class, and by which factor.
  public var slowPhones = 0.0
  public var slowness = 2.0
  /// The share of phones that are used ten times as much as others.
  public var busyPhones = 0.0
  /// The factor of cold launches, a fifth of all, on the newer release; nil if no launch is cold. They take 2.5 times as
  /// long as others.
  public var coldFactor: Double?

  public enum Vital: String, Sendable, CaseIterable {
    case crashes = "sessions.crash_free"
    case launches = "launch.first_draw"
    case hangs = "hang.rate"
  }

  public init(_ vital: Vital, phones: Int) { (self.vital, self.phones) = (vital, phones) }

  static let names = (base: "4.1.0", head: "4.2.0")

  private static let classes: [(name: String, share: Double, speed: Double)] = [
    ("iPhone 13", 0.4, 1), ("iPhone 14", 0.35, 0.8), ("iPhone 15", 0.25, 0.6),
  ]
  private static let crashShare = 0.005
  private static let sessions = 3.0
  private static let hangs = 0.5
  /// The deviation of the logarithm of a phone's use: between phones, and between its days.
  private static let use = (phones: 0.5, days: 0.3)
  private static let launch = (median: 600.0, deviation: 0.4)

  /// What one phone did in all days, exactly.
  struct Phone {
    let deviceClass: Int
    let isHead: Bool
    /// Crashed sessions, or milliseconds of hangs.
    var bad = 0.0
    /// Sessions, or milliseconds in the foreground.
    var all = 0.0
    /// Launch times in milliseconds.
    var values: [Double] = []
  }

  /// The data that all phones sent, and the phones.
  func play(_ random: inout SeededRandom) -> (store: FleetStore, phones: [Phone]) {
    let store = FleetStore()
    var all: [Phone] = []
    for isHead in [false, true] {
      for (number, kind) in Self.classes.enumerated() {
        for _ in 0..<Int((Double(phones) * kind.share).rounded()) {
          all.append(phone(UInt64(all.count + 1), number, isHead, store, &random))
        }
      }
    }
    return (store, all)
  }

  private func phone(
    _ user: UInt64, _ number: Int, _ isHead: Bool, _ store: FleetStore, _ random: inout SeededRandom
  ) -> Phone {
    var phone = Phone(deviceClass: number, isHead: isHead)
    let kind = Self.classes[number]
    let level = random.normal()
    let speed = kind.speed * (random.uniform() < slowPhones ? slowness : 1)
    let rate = random.gamma(1)
    let use = Self.vary(Self.use.phones, &random) * (random.uniform() < busyPhones ? 10 : 1)
    for day in 0..<days {
      let today = use * Self.vary(Self.use.days, &random)
      let key = FleetStore.Key(
        release: isHead ? Self.names.head : Self.names.base, deviceClass: kind.name,
        day: FleetStore.firstDay.number + day)
      let worse = isHead ? factor : 1
      switch vital {
      case .crashes: crash(user, today, rate * worse, key, store, &phone, &random)
      case .launches: launch(level, today, speed * worse, isHead, key, store, &phone, &random)
      case .hangs: hang(rate, today, worse, key, store, &phone, &random)
      }
    }
    return phone
  }

  /// A log-normal factor with mean 1.
  private static func vary(_ deviation: Double, _ random: inout SeededRandom) -> Double {
    exp(deviation * random.normal() - deviation * deviation / 2)
  }

  private func crash(
    _ user: UInt64, _ use: Double, _ rate: Double, _ key: FleetStore.Key, _ store: FleetStore, _ phone: inout Phone,
    _ random: inout SeededRandom
  ) {
    let count = random.poisson(Self.sessions * use)
    guard count > 0 else { return }
    let crashed = (0..<count).count { _ in random.uniform() < min(1, Self.crashShare * rate) }
    phone.bad += Double(crashed)
    phone.all += Double(count)
    store.change(key) { rows in
      var tally = SessionTally()
      tally[.healthy] = Int64(count - crashed)
      tally[.crashed] = Int64(crashed)
      tally.userDays.add(x: Int64(crashed), y: Int64(count))
      tally.knownUserDays = 1
      tally.crashedUserDays = crashed > 0 ? 1 : 0
      rows.sessions.merge(tally)
      // The sets store hashes, because consecutive numbers are not evenly spread.
      let hash = user &* 0x9e37_79b9_7f4a_7c15
      rows.users.all.insert(hash ^ (hash >> 31))
      if crashed > 0 { rows.users.crashed.insert(hash ^ (hash >> 31)) }
    }
  }

  private func launch(
    _ level: Double, _ use: Double, _ factor: Double, _ isHead: Bool, _ key: FleetStore.Key, _ store: FleetStore,
    _ phone: inout Phone, _ random: inout SeededRandom
  ) {
    let values = (0..<random.poisson(launches * use)).map { _ in
      let noise = likeness.squareRoot() * level + (1 - likeness).squareRoot() * random.normal()
      let isCold = coldFactor != nil && random.uniform() < 0.2
      let cold = isCold ? 2.5 * (isHead ? coldFactor ?? 1 : 1) : 1
      return Self.launch.median * exp(Self.launch.deviation * noise) * factor * cold
    }
    phone.values += values
    Self.send(values, key, store, \.launches)
  }

  private func hang(
    _ rate: Double, _ use: Double, _ factor: Double, _ key: FleetStore.Key, _ store: FleetStore, _ phone: inout Phone,
    _ random: inout SeededRandom
  ) {
    let (more, longer) = hasLongerHangs ? (1, factor) : (factor, 1)
    let durations = (0..<random.poisson(Self.hangs * rate * use * more)).map { _ in
      (250 + Fleet.hang.median * exp(Fleet.hang.deviation * random.normal())) * longer
    }
    let foreground = Fleet.foreground * use
    phone.bad += durations.reduce(0, +)
    phone.all += foreground
    Self.send(durations, key, store, \.hangs)
    store.change(key) { rows in
      let time = durations.reduce(0) { $0 + Self.bucket($1) + 5 }
      rows.hangRate.add(x: Int64(time), y: Int64(foreground.rounded()))
      rows.hangFrequency.add(x: Int64(durations.count), y: Int64(foreground.rounded()))
    }
  }

  /// Adds a day's payload with buckets of 10 ms, like those of iOS.
  private static func send(
    _ values: [Double], _ key: FleetStore.Key, _ store: FleetStore,
    _ path: WritableKeyPath<FleetStore.Day, Histogram>
  ) {
    guard !values.isEmpty else { return }
    store.change(key) { rows in
      var payload = ClusterSum()
      for value in values {
        let low = bucket(value)
        rows[keyPath: path].insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &payload)
      }
      rows[keyPath: path].close(payload)
    }
  }

  private static func bucket(_ value: Double) -> Double { (value / 10).rounded(.down) * 10 }
}
