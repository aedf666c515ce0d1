import Core

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
      var messages = use.native(&random, now: now)
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
