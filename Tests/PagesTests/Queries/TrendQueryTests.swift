import Foundation
import HealthScene
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// Trends as pages show them: a point for every day, or for the days of a step together.
@Suite struct TrendQueryTests {
  /// Measurements of one metric on many days, counted again by hand. Some days have none.
  private struct Days {
    let last = CalendarDay(iso: "2026-11-20")!
    var values: [CalendarDay: [Double]] = [:]

    init(_ count: Int) {
      var dice = SeededRandom(seed: 11)
      for back in 0..<count where back % 9 != 4 {
        values[last - back] = (0..<(3 + back % 4)).map { _ in Double(100 + Int(dice.next() % 900)) }
      }
    }

    var bodies: [String] {
      values.sorted { $0.key < $1.key }.flatMap { day, own in
        Scene.samples("screen.load", "ms", [own], at: "\(day.iso)T10:00:00Z")
      }
    }

    func of(_ point: TrendPoint) -> [Double] {
      (0..<point.days).flatMap { values[point.day + $0] ?? [] }.sorted()
    }
  }

  private static func value(on day: String) -> String {
    Scene.native(
      #""measurements": [{"metric": "screen.load", "value": 100, "unit": "ms", "at": "\#(day)T10:00:00Z"}]"#)
  }

  @Test("a trend has a point for every day, and days without data are empty")
  func trend() throws {
    let scene = try Scene()
    try scene.receive([Self.value(on: "2026-11-20"), Self.value(on: "2026-11-15")])
    let page = try #require(
      try scene.reader("p50 screen.load <= 1 s").metricPage(Scene.app, metric: "screen.load", now: Scene.now))
    let points = try #require(page.trends[50])
    #expect(points.map(\.day) == Window(days: 28, endingOn: Scene.today).allDays)
    #expect(points.filter { $0.n > 0 }.map(\.day) == [Scene.today - 5, Scene.today])
    #expect(points.filter { $0.n == 0 }.allSatisfy { $0.estimate == .unknown })
  }

  @Test("a point combines the numbers of its days, and all points add up to the window")
  func weeks() throws {
    let days = Days(100)
    let scene = try Scene()
    try scene.receive(days.bodies)
    let query = ReportQuery(from: days.last - 99, to: days.last)
    let page = try #require(
      try scene.reader("p90 screen.load <= 1 s").metricPage(
        Scene.app, metric: "screen.load", query, now: Scene.now))
    let points = try #require(page.trends[90])
    #expect(points.count == 15 && points.first?.days == 2 && points.dropFirst().allSatisfy { $0.days == 7 })
    #expect(points.last?.lastDay == days.last && points.reduce(0) { $0 + $1.n } == page.report.n)
    for point in points {
      let own = days.of(point)
      #expect(point.n == own.count)
      let nearest = own[Int((0.9 * Double(own.count)).rounded(.up)) - 1]
      let value = try #require(point.estimate.value)
      // Bins are 1.1 % wide.
      #expect(abs(value / nearest - 1) < 0.006, "\(point.day.iso): \(value) for \(nearest)")
    }
    #expect(page.byRelease.first?.trend.map(\.day) == points.map(\.day))
  }

  @Test("a trend by day has days, however many")
  func asked() throws {
    let days = Days(100)
    let scene = try Scene()
    try scene.receive(days.bodies)
    let values = ["from": (days.last - 99).iso, "to": days.last.iso, "step": "1"]
    let query = try ReportQuery { values[$0] }
    let page = try #require(
      try scene.reader("p90 screen.load <= 1 s").metricPage(Scene.app, metric: "screen.load", query, now: Scene.now))
    let points = try #require(page.trends[50])
    #expect(points.count == 100 && points.allSatisfy { $0.days == 1 && $0.n == days.of($0).count })
    #expect(
      points.filter { $0.estimate.value == nil }.map(\.day) == points.map(\.day).filter { days.values[$0] == nil })
    for wrong in ["0", "-7", "week", "367", "7 "] {
      #expect(throws: InvalidQuery.self) { try ReportQuery { ["step": wrong][$0] } }
    }
  }

  @Test("weekly sessions are the sums of their days, and a user counts once a week")
  func sessions() throws {
    let scene = try Scene()
    let last = CalendarDay(iso: "2026-11-17")!
    for back in 0..<60 {
      let parts = (0..<3).map {
        #"{"id": "\#(back)-\#($0)", "started": "\#((last - back).iso)T10:00:00Z", "status": "exited"}"#
      }
      try scene.receive([Scene.native(installation: "p\(back % 2)", "\"sessions\": [\(parts.joined(separator: ","))]")])
    }
    let query = ReportQuery(from: last - 59, to: last)
    let page = try scene.reader("sessions.crash_free >= 99%").sessionPage(Scene.app, query, now: Scene.now)
    #expect(page.days.map(\.days) == [4] + [Int](repeating: 7, count: 8))
    #expect(page.days.map(\.sessions.total) == [12] + [Int](repeating: 21, count: 8))
    #expect(page.days.allSatisfy { $0.users.total == 2 })
  }
}
