import Foundation
import Statistics

/// Two releases of a made-up app: phones of three classes, each with a level of its own, payloads by the day.
struct MadeUpFleet {
  var phones = 100
  var days = 5
  /// The share of the variance of launches that lies between phones.
  var likeness = 0.4
  /// Shares of old, middle and new phones among those of each release.
  var adoption = (base: [0.4, 0.35, 0.25], head: [0.4, 0.35, 0.25])
  /// How long things take on them.
  var speed = [1.0, 0.8, 0.6]
  /// How many times longer they take on the head.
  var slowdown = 1.0

  /// What a release's phones of one class sent.
  struct Part {
    var launches = Histogram(scheme: .logarithmic)
    var screens = Histogram(scheme: .logarithmic)
    var memory = Histogram(scheme: .logarithmic)
    var hangs = PairSum()
    var sessions = PairSum()
    var userDays = PairSum()
    var crashedUsers = 0
    var mostPayloads = 0
  }

  func release(isHead: Bool, _ random: inout Seeded) -> [Part] {
    let shares = isHead ? adoption.head : adoption.base
    let factor = isHead ? slowdown : 1
    return shares.indices.map { kind in
      var part = Part()
      let count = Int((Double(phones) * shares[kind]).rounded())
      part.mostPayloads = count
      for _ in 0..<count { phone(speed[kind] * factor, &part, &random) }
      return part
    }
  }

  private func phone(_ speed: Double, _ part: inout Part, _ random: inout Seeded) {
    let level = likeness.squareRoot() * random.normal()
    let memory = 180e6 * exp(0.25 * random.normal())
    let crashing = random.uniform() < 0.02 ? 0.08 : 0.002
    var hasCrashed = false
    let hanging = -log(1 - random.uniform())
    for _ in 0..<days {
      var launches = ClusterSum()
      for _ in 0..<random.poisson(2) {
        let noise = level + (1 - likeness).squareRoot() * random.normal()
        let low = (speed * exp(6.7 + 0.4 * noise) / 10).rounded(.down) * 10
        part.launches.insertSpan(low: low, high: low + 10, count: 1, stepsPerUnit: 1_000, into: &launches)
      }
      part.launches.close(launches)
      var screens = ClusterSum()
      for _ in 0..<random.poisson(2) {
        let noise = level + (1 - likeness).squareRoot() * random.normal()
        part.screens.insert(speed * exp(5.5 + 0.5 * noise), stepsPerUnit: 1_000, into: &screens)
      }
      part.screens.close(screens)
      var peak = ClusterSum()
      part.memory.insert(memory * exp(0.15 * random.normal()), stepsPerUnit: 1, into: &peak)
      part.memory.close(peak)
      let use = 60_000 + Int64(600_000 * random.uniform())
      part.hangs.add(x: Int64(hanging * Double(random.poisson(0.5)) * 400 * speed), y: use)
      let sessions = 1 + random.poisson(1.5)
      let crashes = (0..<sessions).count { _ in random.uniform() < crashing }
      part.sessions.add(x: Int64(crashes), y: Int64(sessions))
      part.userDays.add(x: crashes > 0 ? 1 : 0, y: 1)
      hasCrashed = hasCrashed || crashes > 0
    }
    if hasCrashed { part.crashedUsers += 1 }
  }
}
