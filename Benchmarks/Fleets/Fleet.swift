import Core
import Foundation
import Statistics
import Storage
public import TestSupport

/// Phones that use an app and report once a day. Their true numbers are known.
public struct Fleet: Sendable {
  /// The number of phones that use each release.
  public var phones = 100
  public var days = 7
  /// The metrics that they send.
  public var measures: Set<Measure> = Set(Measure.allCases)
  public var releases = [Release("4.1.0")]
  /// Device classes, with their share of the phones and their speed.
  public var classes = [DeviceClass("iPhone 15", share: 1, speed: 1)]
  /// The standard deviation of a day's logarithm. A slow backend slows everything on a day.
  public var dayEffect = 0.0

  /// Mean launches of a phone per day.
  public var launches = 1.5
  /// The correlation of the logarithms of two launches of one phone.
  public var likeness = 0.0
  /// The edges of the launch buckets; nil for MetricKit's 10 ms.
  public var edges: [Double]?
  /// The launches of the first phone on the first day, or on every day.
  public var busyLaunches: Double?
  public var isBusyDaily = false

  /// The mean number of hangs, and of abnormal foreground exits, of a phone per day.
  public var events = 0.5
  /// The coefficient of variation of that number between phones.
  public var variation = 0.0

  /// The mean number of sessions of a phone per day beyond the first.
  public var moreSessions = 2.0
  public var crashes = Crashes()

  public init() {}

  public enum Measure: Sendable, CaseIterable { case launches, rates, sessions, memory }

  public struct Release: Sendable {
    public var name: String
    /// The factor of launch times, hang times and crashed sessions.
    public var slowdown = 1.0
    public var crashing = 1.0
    /// The chance that a phone is in use on each day; 1 for days beyond the list.
    public var use: [Double] = []
    /// Shares that replace those of the classes.
    public var shares: [Double]?
    /// Factors by class, in addition to `slowdown`.
    public var slowdownByClass: [Double] = []

    public init(_ name: String) { self.name = name }
  }

  public struct DeviceClass: Sendable {
    public var name: String
    public var share: Double
    public var speed: Double

    public init(_ name: String, share: Double, speed: Double) {
      (self.name, self.share, self.speed) = (name, share, speed)
    }
  }

  /// The distribution of crashes over sessions.
  public struct Crashes: Sendable {
    /// The true share of crashed sessions.
    public var share = 0.005
    /// The correlation of two sessions of one user, on one day or over the whole window.
    public var likeness = 0.0
    public var isLasting = false
    /// The share of users who crash `proneness` times as often as others.
    public var prone = 0.0
    public var proneness = 40.0
    /// The chance that a user-day ends in a loop of 30 crashed sessions. `share` applies to all other sessions.
    public var loops = 0.0

    public init() {}
  }
}

extension Fleet {
  /// The logarithm of launch times is normal with this median and deviation. The median and the p90 are at the upper
  /// edge of a bin, so that comparing bins hides no error.
  static let median = exp2(618.0 / 64)
  static let deviation = 47 * log(2.0) / 64 / 1.281_551_565_544_6
  /// A hang's milliseconds are also log-normal, and at least 250.
  static let hang = (median: 500.0, deviation: 0.6)
  static let foreground = 1_800_000.0
  static let launchesAndResumes = 4.0

  /// The launch time that a share `p` of launches stays below, for one class without day effects. `normal` is the
  /// standard normal quantile of `p`.
  public static func launchQuantile(normal: Double) -> Double { median * exp(deviation * normal) * (1 - 1e-9) }

  /// The mean milliseconds of a hang.
  public static let meanHang = 250 + hang.median * exp(hang.deviation * hang.deviation / 2)

  /// The true rates, in the units of the metrics.
  public var trueRates: (hangRate: Double, hangFrequency: Double, exits: Double) {
    let perHour = events / (Self.foreground / 3_600_000)
    return (perHour * Self.meanHang / 1000, perHour, events / Self.launchesAndResumes * 1000)
  }

  /// The expected share of crashed sessions, including loops.
  public var trueCrashShare: Double {
    let usual = 1 + moreSessions
    let looped = crashes.loops * Double(Self.loopLength)
    return (usual * crashes.share + looped) / (usual + looped)
  }

  static let loopLength = 30

  /// The data that all phones sent.
  public func play(_ random: inout SeededRandom) -> FleetStore {
    let store = FleetStore()
    let effects = (0..<days).map { _ in dayEffect > 0 ? exp(dayEffect * random.normal()) : 1 }
    var user: UInt64 = 1
    for release in releases {
      let shares = release.shares ?? classes.map(\.share)
      for (index, kind) in classes.enumerated() {
        let slowdown = release.slowdown * (index < release.slowdownByClass.count ? release.slowdownByClass[index] : 1)
        for number in 0..<Int((Double(phones) * shares[index]).rounded()) {
          let phone = Phone(
            fleet: self, release: release, deviceClass: kind, slowdown: slowdown, isFirst: index == 0 && number == 0,
            user: user, &random)
          user += 1
          for day in 0..<days where day >= release.use.count || random.uniform() < release.use[day] {
            phone.report(day, effects[day], store, &random)
          }
        }
      }
    }
    return store
  }
}

/// One phone and its differences from others.
private struct Phone {
  let fleet: Fleet
  let release: Fleet.Release
  let deviceClass: Fleet.DeviceClass
  let slowdown: Double
  let isFirst: Bool
  let user: UInt64
  let level: Double
  let rate: Double
  let crashing: Double

  init(
    fleet: Fleet, release: Fleet.Release, deviceClass: Fleet.DeviceClass, slowdown: Double, isFirst: Bool, user: UInt64,
    _ random: inout SeededRandom
  ) {
    (self.fleet, self.release, self.deviceClass, self.slowdown) = (fleet, release, deviceClass, slowdown)
    (self.isFirst, self.user) = (isFirst, user)
    level = fleet.likeness.squareRoot() * random.normal()
    let spread = fleet.variation * fleet.variation
    rate = spread > 0 ? random.gamma(1 / spread) * spread : 1
    let crashes = fleet.crashes
    let usual = crashes.share * release.crashing / (1 + crashes.prone * (crashes.proneness - 1))
    let mean = crashes.prone > 0 && random.uniform() < crashes.prone ? usual * crashes.proneness : usual
    crashing = crashes.isLasting ? random.share(mean: mean, likeness: crashes.likeness) : mean
  }

  func report(_ day: Int, _ effect: Double, _ store: FleetStore, _ random: inout SeededRandom) {
    let key = FleetStore.Key(
      release: release.name, deviceClass: deviceClass.name, day: FleetStore.firstDay.number + day)
    store.change(key) { rows in
      let factor = deviceClass.speed * slowdown * effect
      if fleet.measures.contains(.launches) { launch(day, factor, &rows, &random) }
      if fleet.measures.contains(.rates) { hang(factor, effect, &rows, &random) }
      if fleet.measures.contains(.memory) { suspend(&rows, &random) }
      if fleet.measures.contains(.sessions) { sessions(effect, &rows, &random) }
    }
  }

  private func launch(_ day: Int, _ factor: Double, _ rows: inout FleetStore.Day, _ random: inout SeededRandom) {
    let isBusy = isFirst && (day == 0 || fleet.isBusyDaily)
    var payload = ClusterSum()
    for _ in 0..<random.poisson(isBusy ? fleet.busyLaunches ?? fleet.launches : fleet.launches) {
      let noise = level + (1 - fleet.likeness).squareRoot() * random.normal()
      let value = Fleet.median * exp(Fleet.deviation * noise) * factor
      let (low, high) = bucket(value)
      rows.launches.insertSpan(low: low, high: high, count: 1, stepsPerUnit: 1_000, into: &payload)
    }
    rows.launches.close(payload)
  }

  private func bucket(_ value: Double) -> (low: Double, high: Double) {
    guard let edges = fleet.edges else {
      let low = (value / 10).rounded(.down) * 10
      return (low, low + 10)
    }
    let index = edges.lastIndex { $0 <= value } ?? 0
    return (edges[index], index + 1 < edges.count ? edges[index + 1] : .infinity)
  }

  private func hang(_ factor: Double, _ effect: Double, _ rows: inout FleetStore.Day, _ random: inout SeededRandom) {
    // The duration and frequency of use vary from day to day as much as in real payloads.
    let use = exp(0.5 * random.normal() - 0.125)
    let count = random.poisson(fleet.events * rate * use * effect)
    var payload = ClusterSum()
    var time = 0.0
    for _ in 0..<count {
      let value = (250 + Fleet.hang.median * exp(Fleet.hang.deviation * random.normal())) * factor / effect
      let low = (value / 10).rounded(.down) * 10
      rows.hangs.insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &payload)
      time += low + 5
    }
    rows.hangs.close(payload)
    let foreground = Int64((Fleet.foreground * use).rounded())
    rows.hangRate.add(x: Int64(time), y: foreground)
    rows.hangFrequency.add(x: Int64(count), y: foreground)
    let launches = random.poisson(Fleet.launchesAndResumes * use)
    if launches > 0 {
      let exits = random.poisson(fleet.events / Fleet.launchesAndResumes * rate * Double(launches) * effect)
      rows.exits.add(x: Int64(exits), y: Int64(launches))
    }
  }

  private func suspend(_ rows: inout FleetStore.Day, _ random: inout SeededRandom) {
    var payload = ClusterSum()
    let noise = level + (1 - fleet.likeness).squareRoot() * random.normal()
    rows.suspended.insert(80e6 * slowdown * exp(0.2 * noise), stepsPerUnit: 1, into: &payload)
    rows.suspended.close(payload)
  }

  private func sessions(_ effect: Double, _ rows: inout FleetStore.Day, _ random: inout SeededRandom) {
    let crashes = fleet.crashes
    let daily = crashes.isLasting ? crashing : random.share(mean: crashing, likeness: crashes.likeness)
    var count = 1 + random.poisson(fleet.moreSessions)
    var crashed = 0
    for _ in 0..<count where random.uniform() < min(1, daily * effect) { crashed += 1 }
    if crashes.loops > 0, random.uniform() < crashes.loops {
      count += Fleet.loopLength
      crashed += Fleet.loopLength
    }
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
