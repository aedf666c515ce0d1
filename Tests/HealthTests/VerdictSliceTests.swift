import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

/// Budgets on parts of a fleet whose numbers are counted by hand.
struct VerdictSliceTests {
  /// `count` payloads of one value each.
  private static func loads(
    _ count: Int, _ value: Double, model: String = "iPhone15,2", os: String = "iOS 17.4.1", label: String? = nil,
    at: String = "2026-11-20T10:00:00Z"
  ) -> [String] {
    let name = label.map { #", "label": "\#($0)""# } ?? ""
    let part = #"{"metric": "screen.load", "value": \#(value), "unit": "ms", "at": "\#(at)"\#(name)}"#
    return (0..<count).map { _ in Scene.native(model: model, os: os, "\"measurements\": [\(part)]") }
  }

  @Test("a condition on the OS version adds up the matching versions")
  func systems() throws {
    let scene = try Scene()
    try scene.receive(
      Self.loads(18, 5000, os: "iOS 16.7") + Self.loads(12, 5000, os: "iOS 16.7.2") + Self.loads(40, 100)
        + Self.loads(20, 200, os: "iOS 17.0") + Self.loads(10, 300, os: "iOS 18.1"))
    let results = try scene.report(
      budgets: "p50 screen.load <= 1 s, on iOS <17", "p50 screen.load <= 1 s, on iOS 17",
      "p50 screen.load <= 1 s, on iOS >= 17", "p50 screen.load <= 1 s, on iOS >= 16.7.1, on iOS <= 16",
      "p50 screen.load <= 1 s, on iOS >17"
    ).budgets
    #expect(results.map(\.n) == [30, 60, 70, 12, 10])
    #expect(results.map(\.verdict) == [.broken, .within, .within, .broken, .within])
    #expect(results.map(\.slice.os) == ["iOS <17", "iOS 17", "iOS >= 17", "iOS >= 16.7.1, iOS <= 16", "iOS >17"])
  }

  @Test("added OS versions equal the numbers of a fleet with only those")
  func exact() throws {
    let wanted = (1...40).flatMap { Self.loads(1, Double($0 * 37 % 900) + 1, os: "iOS 17.\($0 % 5)") }
    let mixed = try Scene()
    try mixed.receive(wanted + Self.loads(50, 3000, os: "iOS 16.1") + Self.loads(50, 3000, os: "iPadOS 17.1"))
    let alone = try Scene()
    try alone.receive(wanted)
    let part = try #require(try mixed.report(budgets: "p90 screen.load <= 1 s, on iOS 17").budgets.first)
    let whole = try #require(try alone.report(budgets: "p90 screen.load <= 1 s").budgets.first)
    #expect(part.n == 40)
    #expect([part.value, part.low, part.high] == [whole.value, whole.low, whole.high])
    #expect(part.basis == whole.basis)
  }

  @Test("budgets that cannot be judged state it: a misspelt environment, a custom count, users of a combination")
  func unjudged() throws {
    let scene = try Scene()
    try scene.receive(
      Self.loads(5, 100) + [Scene.native(#""counters": [{"metric": "app.taps", "value": 9}]"#)]
        + Scene.sessions(20, crashed: 0, prefix: "a"))
    let results = try scene.report(
      budgets: "p50 screen.load <= 1 s, in prodution", "app.taps <= 5",
      "users.crash_free >= 90 %, on iPhone15,2, on iOS 17"
    ).budgets
    #expect(results.map(\.reason) == [.unmatched, .count, .unmatched])
    #expect(results.map(\.verdict) == [.notEnoughData, .notEnoughData, .notEnoughData])
    #expect(results[2].reasonText?.contains("Users are not counted for combined conditions") == true)
  }

  @Test("the device and OS version of a budget are combined")
  func combined() throws {
    let scene = try Scene()
    try scene.receive(
      Self.loads(11, 100, model: "iPhone12,1", os: "iOS 16.7")
        + Self.loads(13, 100, model: "iPhone12,3", os: "iOS 16.1")
        + Self.loads(17, 100, model: "iPhone12,1", os: "iOS 17.1")
        + Self.loads(19, 100, model: "iPhone15,2", os: "iOS 16.7") + Self.loads(23, 100, model: "iPhone13,2"))
    let results = try scene.report(
      budgets: "p50 screen.load <= 1 s, on iPhone12,*, on iOS <17", "p50 screen.load <= 1 s, on iOS 17, on iPhone12,*",
      "p50 screen.load <= 1 s, on iPhone 12 and older, on iOS 16", "p50 screen.load <= 1 s, on iPhone 11",
      "p50 screen.load <= 1 s, on iPhone 12 and older"
    ).budgets
    #expect(results.map(\.n) == [24, 17, 24, 28, 64])
    #expect(results.map(\.slice.device) == ["iPhone12,*", "iPhone12,*", nil, "iPhone 11", nil])
    #expect(results[4].slice.deviceClass == "iPhone 12 and older")
    #expect(results[0].slice.os == "iOS <17")
  }

  @Test("on a page for one device class, a budget on another class has nothing to judge")
  func pageOfAClass() throws {
    let scene = try Scene()
    try scene.receive(Self.loads(20, 100, model: "iPhone12,1") + Self.loads(30, 100))
    let page = ReportQuery(deviceClass: "iPhone 14")
    let results = try scene.report(
      page, budgets: "p50 screen.load <= 1 s, on iPhone 12 and older", "p50 screen.load <= 1 s, on iPhone 14",
      "p50 screen.load <= 1 s, on iPhone15,*"
    ).budgets
    #expect(results.map(\.n) == [0, 30, 30])
  }

  @Test("a label's rows are judged, also combined with a device")
  func labels() throws {
    let scene = try Scene()
    try scene.receive(
      Self.loads(25, 2000, label: "CartView") + Self.loads(35, 100, label: "Home, new")
        + Self.loads(15, 100, model: "iPhone12,1", label: "CartView"))
    let results = try scene.reader(
      "p50 screen.load <= 1 s, label CartView", "p50 screen.load <= 1 s, label \\\"Home, new\\\"",
      "p50 screen.load <= 1 s, label CartView, on iPhone12,*", "p50 screen.load <= 1 s"
    ).check(Scene.app, now: Scene.now)
    #expect(results.map(\.n) == [40, 35, 15, 75])
    #expect(results.map(\.slice.label) == ["CartView", "Home, new", "CartView", nil])
    #expect(results[1].verdict == .within)
  }

  @Test("sessions of several OS versions are added before they are judged")
  func sessions() throws {
    let scene = try Scene()
    func sessions(_ count: Int, crashed: Int, os: String) -> [String] {
      let parts = (0..<count).map { number in
        let status = number < crashed ? "crashed" : "exited"
        return #"{"id": "\#(os)-\#(number)", "started": "2026-11-17T10:00:00Z", "status": "\#(status)"}"#
      }
      return [Scene.native(os: os, "\"sessions\": [\(parts.joined(separator: ","))]")]
    }
    try scene.receive(
      sessions(500, crashed: 4, os: "iOS 16.6") + sessions(500, crashed: 6, os: "iOS 16.7")
        + sessions(900, crashed: 0, os: "iOS 17.1"))
    let result = try #require(
      try scene.report(budgets: "sessions.crash_free >= 99.5%, on iOS <17").budgets.first)
    // 10 of 1,000, as in the table of verdicts.
    #expect(result.n == 1000)
    #expect(result.value == 0.99)
    #expect(result.verdict == .broken)
  }

  @Test("a budget that matches nothing in the window states it, and warns only if it requires data")
  func unmatched() throws {
    let scene = try Scene()
    try scene.receive(Self.loads(20, 100))
    for clause in ["on iPhone99,*", "on iOS 9", "label Nowhere", "on iPad M4", "on iPhone15,2, on iOS <17"] {
      let budget = "p50 screen.load <= 1 s, \(clause), require data"
      let result = try #require(try scene.report(budgets: budget).budgets.first)
      #expect(result.verdict == .notEnoughData)
      #expect(result.reason == .unmatched)
      #expect(result.n == 0)
      #expect(result.value == nil)
      #expect(result.requiresData)
    }
  }

  @Test("a device class is judged on a release's whole lifetime, even before the days of stored cells")
  func oldClass() throws {
    let scene = try Scene()
    for day in ["2026-09-20", "2026-11-05", "2026-11-20"] {
      let received = try #require(Timestamp(iso: "\(day)T10:00:00Z"))
      try scene.receive(
        Scene.sessions(20, crashed: 0, prefix: day, started: received.iso)
          + Self.loads(20, 100, model: "iPhone12,1", at: received.iso), at: received)
    }
    let reader = try scene.reader("p50 screen.load <= 1 s, on iPhone 12 and older")
    let results = try reader.check(Scene.app, now: Scene.now)
    #expect(results.map(\.n) == [60])
    #expect(results[0].slice.release == "4.2.0")
    #expect(results[0].window.from == CalendarDay(iso: "2026-09-20"))
  }
}
