import Foundation
public import Statistics

/// Two releases of a made-up app: phones of three classes, each with a level of its own, payloads by the day.
public struct ReleaseFleet: Sendable {
  public var phones = 100
  public var days = 5
  /// Mean launches of a phone on a day.
  public var launches = 2.0
  /// The share of the variance of launches that lies between phones.
  public var likeness = 0.4
  /// Shares of old, middle and new phones among those of each release.
  public var adoption = (base: [0.4, 0.35, 0.25], head: [0.4, 0.35, 0.25])
  /// How long things take on them.
  public var speed = [1.0, 0.8, 0.6]
  /// How many times longer they take on the head.
  public var slowdown = 1.0

  public init(phones: Int = 100, days: Int = 5, likeness: Double = 0.4, slowdown: Double = 1) {
    (self.phones, self.days, self.likeness, self.slowdown) = (phones, days, likeness, slowdown)
  }

  /// What a release's phones of one class sent; distributions by day.
  public struct Part: Sendable {
    public var launches: [Histogram]
    public var screens: [Histogram]
    public var memory: [Histogram]
    public var hangs = PairSum()
    public var sessions = PairSum()
    public var userDays = PairSum()
    public var returning = ReturningUsers()
    public var mostPayloads = 0

    init(days: Int) {
      let empty = [Histogram](repeating: Histogram(scheme: .logarithmic), count: days)
      (launches, screens, memory) = (empty, empty, empty)
    }
  }

  /// A part for each class.
  public func release(isHead: Bool, _ random: inout FleetRandom) -> [Part] {
    let shares = isHead ? adoption.head : adoption.base
    let factor = isHead ? slowdown : 1
    return shares.indices.map { kind in
      var part = Part(days: days)
      let count = Int((Double(phones) * shares[kind]).rounded())
      part.mostPayloads = count
      for _ in 0..<count { phone(speed[kind] * factor, &part, &random) }
      return part
    }
  }

  private func phone(_ speed: Double, _ part: inout Part, _ random: inout FleetRandom) {
    let level = likeness.squareRoot() * random.normal()
    let memory = 180e6 * exp(0.25 * random.normal())
    let crashing = random.uniform() < 0.02 ? 0.08 : 0.002
    let crashedDays = part.returning.crashedUserDays
    let hanging = -log(1 - random.uniform())
    for day in 0..<days {
      launch(day, level, speed, &part, &random)
      part.memory[day].insert(memory * exp(0.15 * random.normal()), stepsPerUnit: 1)
      let use = 60_000 + Int64(600_000 * random.uniform())
      part.hangs.add(x: Int64(hanging * Double(random.poisson(0.5)) * 400 * speed), y: use)
      let sessions = 1 + random.poisson(1.5)
      let crashes = (0..<sessions).count { _ in random.uniform() < crashing }
      part.sessions.add(x: Int64(crashes), y: Int64(sessions))
      part.userDays.add(x: crashes > 0 ? 1 : 0, y: 1)
      if crashes > 0 { part.returning.crashedUserDays += 1 }
    }
    part.returning.users += 1
    if part.returning.crashedUserDays > crashedDays { part.returning.crashedUsers += 1 }
  }

  private func launch(
    _ day: Int, _ level: Double, _ speed: Double, _ part: inout Part, _ random: inout FleetRandom
  ) {
    var payload = ClusterSum()
    for _ in 0..<random.poisson(launches) {
      let noise = level + (1 - likeness).squareRoot() * random.normal()
      let low = (speed * exp(6.7 + 0.4 * noise) / 10).rounded(.down) * 10
      part.launches[day].insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &payload)
    }
    part.launches[day].close(payload)
    payload = ClusterSum()
    for _ in 0..<random.poisson(2) {
      let noise = level + (1 - likeness).squareRoot() * random.normal()
      part.screens[day].insert(speed * exp(5.5 + 0.5 * noise), stepsPerUnit: 1_000, into: &payload)
    }
    part.screens[day].close(payload)
  }
}

extension Histogram {
  /// A payload of one value.
  fileprivate mutating func insert(_ value: Double, stepsPerUnit: Double) {
    var payload = ClusterSum()
    insert(value, stepsPerUnit: stepsPerUnit, into: &payload)
    close(payload)
  }
}
