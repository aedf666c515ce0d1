import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import SQLiteStore
@testable import Storage

/// Thousands of random histories, held against rules that are stated here anew.
@Suite("Incidents under any sequence of events")
struct IncidentPropertyTests {
  /// Two budgets of one release, one of another, and one of the whole app: three incidents.
  private static let keys = [("a", "4.2.0 (7)"), ("b", "4.2.0 (8)"), ("a", "4.1.0"), ("a", nil)].map {
    BreachKey(.budget, $0.0, slice: Slice(release: $0.1))
  }

  private static func findings(_ random: inout SeededRandom, _ counts: inout [Int]) -> [Finding] {
    keys.indices.compactMap { index in
      counts[index] = max(0, counts[index] + Int.random(in: -50...300, using: &random))
      guard Int.random(in: 0..<4, using: &random) > 0 else { return nil }
      let condition = Incident.Condition.allCases[Int.random(in: 0..<4, using: &random)]
      return IncidentStateMachineTests.finding(condition, count: counts[index], key: keys[index])
    }
  }

  @Test("each incident opens and ends once, no two have one key, and reminders keep their interval")
  func histories() {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var counts = [0, 0, 0, 0]
      var open: [Incident] = []
      var told: [String: [(event: AlertMessage.Event, hour: Double)]] = [:]
      var hour = 0.0
      for _ in 0..<150 {
        // Looks that are missed leave longer gaps.
        hour += Double(Int.random(in: 1...200, using: &random)) / 10
        let own = Self.findings(&random, &counts)
        let machine = IncidentStateMachine(app: 1, thresholds: AlertThresholds())
        let isRetired = Int.random(in: 0..<40, using: &random) == 0
        let now = IncidentStateMachineTests.at(hour)
        let changes = machine.transitions(of: open, findings: own, retired: { _ in isRetired ? "x" : nil }, now: now)
        // A second process that looks at the same state at the same time decides the same.
        #expect(
          changes == machine.transitions(of: open, findings: own, retired: { _ in isRetired ? "x" : nil }, now: now))
        #expect(Set(changes.map(\.incident.id)).count == changes.count)
        for change in changes {
          open.removeAll { $0.id == change.incident.id }
          if change.incident.closed == nil { open.append(change.incident) }
          if let event = change.event { told[change.incident.id, default: []].append((event, hour)) }
          check(change, own)
        }
        #expect(Set(open.map(\.key)).count == open.count)
        let breaches = open.flatMap(\.breaches).map(\.key)
        #expect(Set(breaches).count == breaches.count)
        if isRetired { continue }
        // The same look again changes nothing: no transition comes twice.
        let again = machine.transitions(of: open, findings: own, now: now)
        #expect(
          again.allSatisfy { $0.event == nil },
          "seed \(seed): \(again.filter { $0.event != nil }) after \(changes)")
      }
      for events in told.values {
        #expect(events.first?.event == .opened)
        #expect(events.count { $0.event == .opened } == 1)
        #expect(events.dropLast().allSatisfy { $0.event != .resolved && $0.event != .retired })
        // A reminder keeps its distance to whatever was told before.
        for (before, next) in zip(events, events.dropFirst()) where next.event == .stillBroken {
          #expect(next.hour - before.hour >= 24 - 1e-6)
        }
      }
    }
  }

  /// Nothing opens without a certain finding, and nothing resolves without a good one.
  private func check(_ change: Transition, _ findings: [Finding]) {
    // What breaks in a release can join the incident of the whole app.
    let known = Set(change.incident.breaches.map(\.key))
    let own = findings.filter { known.contains($0.key) }
    switch change.event {
    case .opened: #expect(own.contains { $0.condition == .broken })
    // What broke within a day of the last message is told a day after it, if it is not over by then.
    case .worsened:
      #expect(change.incident.open.contains { change.news.contains($0.key) && $0.condition != .recovering })
    case .resolved:
      #expect(own.contains { $0.condition == .within || $0.condition == .recovering })
      #expect(!own.contains { $0.condition == .broken } && change.incident.open.isEmpty)
    default: break
    }
  }

  @Test("parallel evaluations, and one that dies after any decision, report each change exactly once")
  func processes() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path
    let events = Mutex<[String]>([])
    for step in 0..<12 {
      let condition: Incident.Condition = step % 4 < 2 ? .broken : .within
      // Each look opens the file anew, as a process does: whatever was before is gone but for what is on disk.
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do {
          let control = try SQLiteControlStore(folder: folder)
          try Self.look(
            control, IncidentStateMachineTests.finding(condition), IncidentStateMachineTests.at(Double(step)))
          for message in try control.pendingMessages()
          where try control.claim(message.identifier, channel: "test", at: IncidentStateMachineTests.at(Double(step))) {
            events.withLock { $0.append(message.event.rawValue) }
            try control.markDelivered(
              message.identifier, channel: "test", at: IncidentStateMachineTests.at(Double(step)))
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(events.withLock { $0 } == ["opened", "resolved", "opened", "resolved", "opened", "resolved"])
    #expect(try SQLiteControlStore(folder: folder).incidents(of: 1, closedAfter: .init(milliseconds: -1)).count == 3)
  }

  private static func look(_ control: SQLiteControlStore, _ finding: Finding, _ now: Timestamp) throws {
    while true {
      let state = try control.alertState(of: 1)
      let machine = IncidentStateMachine(app: 1, thresholds: AlertThresholds())
      let changes = machine.transitions(of: state.open, findings: [finding], now: now)
      let message = AlertMessage(changes, app: "a.b", links: .none, now: now, decision: 1)
      if try control.decide(
        changes.map(\.incident), [message].compactMap { $0 },
        AlertState(version: state.version, digestedThrough: 1, rules: "r"), of: 1)
      {
        return
      }
    }
  }
}
