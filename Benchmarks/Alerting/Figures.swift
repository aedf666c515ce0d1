import Alerts
import Foundation
import Storage
import Telemetry

/// What came of a scenario.
struct Figures: Sendable {
  var scenario: Scenario
  /// Days since the start at which incidents opened, with their names.
  var opened: [(day: Double, name: String)]
  var messages: Int
  /// Days at which the plain alerts spoke up.
  var plain: [[Double]]
  /// The bad release's share of sessions when it was found.
  var share: Double?

  init(
    scenario: Scenario, incidents: [Incident], messages: Int, plain: [[Int]], shares: ReleaseShare, origin: Int
  ) {
    self.scenario = scenario
    self.messages = messages
    let start = Int64(origin) * 1440
    opened = incidents.map { incident in
      let minute = incident.opened.milliseconds / 60_000 - start
      let release = incident.key.slice?.release.map { " of \($0)" } ?? ""
      return (Double(minute) / 1440, "\(incident.key.rule.rawValue) \(incident.key.subject)\(release)")
    }.sorted { $0.day < $1.day }
    self.plain = plain.map { $0.map { Double($0) / 1440 } }
    guard let found = found, scenario.name.hasPrefix("bad release") else { return }
    share = shares.share(of: 2, at: Int((scenario.breach ?? 0) * 1440 + found * 1440))
  }

  /// Days from the breach to the first incident; nil when none came.
  var found: Double? {
    guard let breach = scenario.breach else { return nil }
    return opened.first { $0.day >= breach }.map { $0.day - breach }
  }

  /// Incidents that opened while nothing was broken.
  var falseAlarms: [(day: Double, name: String)] { opened.filter { $0.day < scenario.breach ?? .infinity } }

  func plainFalse(_ index: Int) -> Int { plain[index].count { $0 < scenario.breach ?? .infinity } }

  func plainFound(_ index: Int) -> Double? {
    guard let breach = scenario.breach else { return nil }
    return plain[index].first { $0 >= breach }.map { $0 - breach }
  }
}
