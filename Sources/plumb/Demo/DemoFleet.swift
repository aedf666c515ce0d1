import Core
import Dispatch
import Foundation
import Ingest
import Storage

/// A payload and the time at which the server receives it.
struct DemoMessage {
  var body: String
  var received: Timestamp
}

/// The users of a demo app. Each user has one device with its own speed, so that the launches of a device are
/// correlated.
struct DemoFleet {
  let plan: DemoPlan
  private let today: CalendarDay
  private let people: [Person]

  struct Person {
    let number: Int
    let device: DemoDevice
    let system: String
    /// The factor by which this device is slower than others of its model.
    let slowness: Double
    /// Days between a release and this user's update.
    let patience: Int
    /// Whether the device sends MetricKit payloads.
    let sendsPayloads: Bool

    /// The region in the device's settings, which is the app's attribute. It is derived from the number, so that it
    /// does not change other random numbers.
    var region: String {
      let regions = ["DE", "DE", "DE", "US", "US", "FR", "GB", "JP"]
      return regions[Int(truncatingIfNeeded: (UInt64(number) &* 0x9e37_79b9_7f4a_7c15) >> 40) % regions.count]
    }
  }

  init(_ plan: DemoPlan, today: CalendarDay) {
    self.plan = plan
    self.today = today
    var random = DemoRandom(seed: plan.seed)
    let devices = DemoDevice.all.map { ($0, $0.share) }
    people = (0..<plan.users).map { number in
      Person(
        number: number, device: random.pick(devices) ?? DemoDevice.all[0],
        system: random.pick(DemoDevice.systems) ?? "iPhone OS 18.6.2 (22G100)", slowness: random.lognormal(0.16),
        patience: random.geometric(mean: 4) - 1, sendsPayloads: random.happens(0.3))
    }
  }

  /// All messages that report the use of one day.
  func messages(daysAgo: Int, now: Timestamp) -> [DemoMessage] {
    if plan.outage?.contains(daysAgo) ?? false { return [] }
    let day = today - daysAgo
    return people.flatMap { person -> [DemoMessage] in
      var random = DemoRandom(seed: plan.seed ^ UInt64(person.number) << 20 ^ UInt64(bitPattern: Int64(day.number)))
      guard random.happens(plan.activity), let release = release(of: person, daysAgo: daysAgo) else { return [] }
      let use = DemoUserDay(person: person, release: release, day: day, plan: plan)
      var messages = [use.native(&random, now: now)]
      if person.sendsPayloads, daysAgo > 0, let found = use.diagnostic(now: now) { messages.append(found) }
      // MetricKit delivers a day's payload on the next day, so none reports today.
      if person.sendsPayloads, daysAgo > 0 { messages.append(use.metricKit(&random, now: now)) }
      return messages
    }
  }

  private func release(of person: Person, daysAgo: Int) -> DemoRelease? {
    plan.releases.last { $0.age - person.patience >= daysAgo } ?? plan.releases.first
  }
}

/// A seeded random generator (SplitMix64, Steele et al. 2014), so that the demo data is reproducible.
struct DemoRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A uniform number from 0 up to, but not including, 1.
  mutating func unit() -> Double { Double.random(in: 0..<1, using: &self) }

  mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  /// A normally distributed number with mean 0 and standard deviation 1 (Box–Muller).
  mutating func normal() -> Double { (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit()) }

  /// A log-normally distributed number with median 1. `sigma`: the standard deviation of its logarithm.
  mutating func lognormal(_ sigma: Double) -> Double { exp(sigma * normal()) }

  /// A geometrically distributed number, at least 1, with the given mean.
  mutating func geometric(mean: Double) -> Int { 1 + Int(log(1 - unit()) / log(1 - 1 / max(1.0001, mean))) }

  /// A random item, with a probability in proportion to its weight; nil if there are none.
  mutating func pick<Item>(_ items: [(Item, Double)]) -> Item? {
    var rest = unit() * items.reduce(0) { $0 + $1.1 }
    for (item, weight) in items {
      rest -= weight
      if rest < 0 { return item }
    }
    return items.last?.0
  }
}

/// Sends demo payloads through the same intake as real payloads, at most 512 at once.
final class DemoSender {
  private let intake: Intake
  private let decoder = PayloadDecoder()
  private let permits = DispatchSemaphore(value: DemoSender.most)
  private(set) var count = 0
  private static let most = 512

  init(_ intake: Intake) { self.intake = intake }

  /// Waits until all sent payloads are stored.
  func wait() {
    for _ in 0..<Self.most { permits.wait() }
    for _ in 0..<Self.most { permits.signal() }
  }

  func send(_ message: DemoMessage, to app: AppID) throws {
    permits.wait()
    count += 1
    let body = Array(message.body.utf8)
    do {
      try body.withUnsafeBytes { bytes in
        try intake.receive(
          bytes, Submission(app: app, received: message.received), decoder: decoder
        ) { [permits] _ in permits.signal() }
      }
    } catch {
      permits.signal()
      throw error
    }
  }
}
