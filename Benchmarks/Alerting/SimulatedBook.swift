import Core
import Storage

/// Incidents in memory, with the rule of the real store: a decision counts only for the state it was based on.
final class SimulatedBook: IncidentStore, SilenceDirectory, GroupDecisions, GroupNotes, @unchecked Sendable {
  // Invariant: used only by the thread that plays the scenario.
  private var state = AlertState()
  private(set) var all: [String: Incident] = [:]
  private(set) var messages: [Sent] = []
  /// Every breach that ever opened, including those that reopened in the same incident.
  private(set) var breaches: [String: Breach] = [:]

  /// A message, and how bad the incidents were that were open when it was sent.
  struct Sent {
    var message: AlertMessage
    var level: Level
  }

  /// What a reader should do, from least to most.
  enum Level: Int, Comparable {
    case ended, warning, critical, halt

    static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

    init(_ open: [Incident]) {
      let breaches = open.flatMap(\.open)
      self =
        if breaches.contains(where: { $0.key.rule == .rollout && $0.condition == .broken }) {
          .halt
        } else if breaches.contains(where: { $0.severity == .critical }) {
          .critical
        } else {
          breaches.isEmpty ? .ended : .warning
        }
    }
  }

  func alertState(of app: AppID) throws -> AlertState { state }

  func decide(_ incidents: [Incident], _ messages: [AlertMessage], _ state: AlertState, of app: AppID) throws -> Bool {
    guard state.version == self.state.version else { return false }
    for incident in incidents {
      all[incident.id] = incident
      for breach in incident.breaches { breaches["\(breach.key) \(breach.opened.milliseconds)"] = breach }
    }
    self.state = AlertState(
      version: state.version + 1, digestedThrough: state.digestedThrough, rules: state.rules,
      open: all.values.filter { $0.closed == nil }.sorted { ($0.opened, $0.id) < ($1.opened, $1.id) })
    self.messages += messages.map { Sent(message: $0, level: Level(self.state.open)) }
    return true
  }

  func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident] {
    all.values.filter { $0.closed.map { $0 > closedAfter } ?? true }
  }
  func incident(_ id: String) throws -> Incident? { all[id] }
  func openIncidentCounts() throws -> [String: Int] { [:] }
  func lastDeliveries() throws -> [String: [String: DeliveryState]] { [:] }
  func pendingMessages() throws -> [AlertMessage] { [] }
  func undeliveredMessages(since start: Timestamp) throws -> [String: Int] { [:] }
  func claim(_ message: String, channel: String, at now: Timestamp) throws -> Bool { false }
  func markDelivered(_ message: String, channel: String, at now: Timestamp) throws {}
  func markFailed(_ message: String, channel: String, reason: String, isFinal: Bool, at now: Timestamp) throws {}
  func settle(_ message: String, at now: Timestamp) throws {}
  func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws {}
  func silences(at now: Timestamp) throws -> [Silence] { [] }
  func addSilence(_ silence: Silence) throws -> Silence { silence }
  func removeSilence(_ id: Int64) throws {}

  // No one makes decisions about groups.
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { [:] }
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] { [:] }
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws {}
  func setNote(_ note: GroupNote, of app: AppID, group: UInt64, replacing: [UInt64]) throws {}
}
