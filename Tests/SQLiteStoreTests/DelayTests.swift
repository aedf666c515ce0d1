import GRDB
import TestSupport
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Storage

/// When events became known, against a recount.
@Suite("Delays of arrival")
struct DelayTests {
  private static let today = Scene.today

  private static func session(
    _ id: Int, day: Int, known hours: Double, outcome: SessionOutcome = .healthy, hasHang: Bool = false,
    sequence: Int64 = 1
  ) -> SessionRecord {
    let start = today + day
    return SessionRecord(
      key: CellKey(
        app: 1, source: .sentry, environment: "production", release: Release(version: "4.2.0"), os: "iOS 17.4.1",
        model: "iPhone15,2"), id: UInt64(id) &* 0x9e37_79b9_7f4a_7c15, outcome: outcome,
      minute: start.number * 1440 + 600, sequence: sequence, isSequenceExplicit: true, user: nil, hasHang: hasHang,
      received: Timestamp(milliseconds: Int64((Double(start.number) * 24 + hours) * 3_600_000)))
  }

  private struct Found: Hashable {
    var event: DelayedEvent
    var day: Int
    var hours: Double
  }

  private static func counts(_ scene: Scene) throws -> [Found: Int64] {
    Dictionary(
      uniqueKeysWithValues: try scene.store.delays(
        of: 1, environment: "production", in: Window(from: today - 100, to: today + 100)
      ).map {
        (
          Found(event: $0.event, day: $0.day.number - today.number, hours: ReportingDelayStep.bounds[$0.step.number]),
          $0.count
        )
      })
  }

  @Test("a session counts when it is first seen, its crash and its hang when they are")
  func sessions() throws {
    let updates = [
      Self.session(1, day: 0, known: 10.5), Self.session(2, day: 0, known: 10.9),
      Self.session(2, day: 0, known: 31.2, outcome: .crashed, sequence: 2),
      Self.session(2, day: 0, known: 33, outcome: .crashed, hasHang: true, sequence: 3),
      Self.session(3, day: -3, known: 80, outcome: .crashed),
    ]
    let expected: [Found: Int64] = [
      Found(event: .session, day: 0, hours: 10): 2, Found(event: .crash, day: 0, hours: 31): 1,
      Found(event: .hang, day: 0, hours: 33): 1, Found(event: .session, day: -3, hours: 78): 1,
      Found(event: .crash, day: -3, hours: 78): 1,
    ]
    for isOneBatch in [true, false] {
      let scene = try Scene()
      for batch in isOneBatch ? [updates] : updates.map({ [$0] }) { try scene.apply(sessions: batch) }
      #expect(try Self.counts(scene) == expected)
      // A retry adds nothing.
      try scene.apply(sessions: [updates[2]])
      #expect(try Self.counts(scene) == expected)
    }
  }

  @Test("what arrives more than two weeks late, or before its day, is not counted")
  func bounds() throws {
    let scene = try Scene()
    try scene.apply(sessions: [
      Self.session(1, day: -20, known: 336), Self.session(2, day: 3, known: -15), Self.session(3, day: 1, known: -14),
      Self.session(4, day: -20, known: 335.9),
    ])
    #expect(
      try Self.counts(scene) == [
        Found(event: .session, day: 1, hours: -14): 1, Found(event: .session, day: -20, hours: 312): 1,
      ])
  }

  @Test("rows are deleted after 42 days")
  func retention() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.session(1, day: -43, known: 5), Self.session(2, day: -42, known: 5)])
    try scene.store.compact(now: Self.today.startUTC)
    #expect(try Self.counts(scene).keys.map(\.day) == [-42])
  }

  @Test("every hour is in exactly one step")
  func steps() throws {
    let day = Self.today
    var last = -1
    for quarter in -14 * 4..<14 * 24 * 4 {
      let hours = Double(quarter) / 4
      let time = Timestamp(milliseconds: Int64((Double(day.number) * 24 + hours) * 3_600_000))
      let step = try #require(ReportingDelayStep(of: day, at: time))
      #expect(ReportingDelayStep.bounds[step.number] <= hours && hours < ReportingDelayStep.bounds[step.number + 1])
      #expect(step.number == last || step.number == last + 1)
      last = step.number
    }
    #expect(last == ReportingDelayStep.count - 1)
    #expect(ReportingDelayStep(number: ReportingDelayStep.count) == nil && ReportingDelayStep(number: -1) == nil)
  }
}
