import Core
import Storage

/// The result of a scenario in one run. Times are days since the start.
struct Figures: Codable, Sendable {
  var scenario: String
  var seed: UInt64
  var incidents: Int
  /// Every breach of the incidents. Each is true or false.
  var opened: [Opened]
  var messages: Int
  /// The time from the fault to the first incident that reports it; nil if none did or there is no fault.
  var found: Double?
  /// The faulty release's share of the last day's sessions at that time.
  var share: Double?
  /// The result of each plain alert.
  var plain: [Plain]

  struct Opened: Codable, Sendable {
    var day: Double
    var name: String
    var isTrue: Bool
  }

  struct Plain: Codable, Sendable {
    var falseAlarms: Int
    var found: Double?
  }

  init(
    _ scenario: Scenario, seed: UInt64, incidents: Int, breaches: [Breach], messages: Int, plain: [[Int]],
    shares: ReleaseShare,
    origin: Int
  ) {
    let fault = scenario.fault
    self.scenario = scenario.name
    self.seed = seed
    self.messages = messages
    self.incidents = incidents
    opened = breaches.map { Opened($0, fault, start: Int64(origin) * 1440) }
      .sorted { $0.day < $1.day }
    self.plain = plain.map { Plain(days: $0.map { Double($0) / 1440 }, fault) }
    guard let fault, let first = opened.first(where: \.isTrue) else { return }
    found = first.day - fault.days.lowerBound
    share = fault.release.map { shares.share(of: $0, at: Int(first.day * 1440)) }
  }

  var falseAlarms: [Opened] { opened.filter { !$0.isTrue } }
}

extension Figures.Opened {
  init(_ breach: Breach, _ fault: Fault?, start: Int64) {
    day = Double(breach.opened.milliseconds / 60_000 - start) / 1440
    let release = breach.key.slice?.release.map { " of \($0)" } ?? ""
    name = "\(breach.key.rule.rawValue) \(breach.key.subject)\(release)"
    isTrue = fault?.explains(breach.key, on: day) ?? false
  }
}

extension Figures.Plain {
  /// A plain alert names no release and no cause. Every alarm during a fault counts as right.
  init(days: [Double], _ fault: Fault?) {
    falseAlarms = days.count { !(fault?.days.contains($0) ?? false) }
    found = fault.flatMap { fault in days.first(where: fault.days.contains).map { $0 - fault.days.lowerBound } }
  }
}
