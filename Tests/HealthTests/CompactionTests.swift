import HealthScene
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import SQLiteStore
@testable import Storage

/// Merging five minutes into hours and hours into days changes no number of whole days.
struct CompactionTests {
  /// The bodies a small fleet sends on a day, whatever the seed makes of them.
  private static func bodies(_ day: CalendarDay, _ random: inout SeededRandom) -> [String] {
    let version = day.number % 40 < 20 ? "4.2.0" : random.index(below: 3) == 0 ? "4.2.0" : "4.3.0"
    let model = ["iPhone15,2", "iPhone12,1"][random.index(below: 2)]
    func at() -> String { "\(day.iso)T\(two(random.index(below: 24))):\(two(random.index(below: 60))):00Z" }
    let status = ["exited", "exited", "exited", "errored", "crashed"]
    var bodies: [String] = []
    for number in 0..<6 {
      let sessions = (0..<random.index(below: 5)).map { own in
        """
        {"id": "\(day.number)-\(number)-\(own)", "started": "\(at())", "status": "\(status[random.index(below: 5)])", "seq": 1}
        """
      }
      let values = (0..<random.index(below: 9)).map { _ in
        #"{"metric": "screen.load", "value": \#(random.index(below: 4000)), "unit": "ms", "label": "Cart", "at": "\#(at())"}"#
      }
      bodies.append(
        Scene.native(
          version: version, build: "\(number % 2)", model: model, installation: "user-\(random.index(below: 12))",
          "\"sessions\": [\(sessions.joined(separator: ","))], \"measurements\": [\(values.joined(separator: ","))]"))
    }
    return bodies
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  @Test("a report of whole days has the same bytes before and after compaction", arguments: [1, 2, 3] as [UInt64])
  func report(seed: UInt64) throws {
    let scene = try Scene()
    var random = SeededRandom(seed: seed)
    for age in stride(from: 60, through: 0, by: -1) {
      let day = Scene.today - age
      // Received at the end of the day, so that rows are as fine as they can be.
      let received = Timestamp(milliseconds: min(Scene.now.milliseconds, (day + 1).startUTC.milliseconds - 1000))
      try scene.receive(Self.bodies(day, &random), at: received)
    }
    let queries = [
      ReportQuery(), ReportQuery(to: Scene.today - 1), ReportQuery(from: Scene.today - 60, to: Scene.today - 1),
      ReportQuery(from: Scene.today - 50, to: Scene.today - 40), ReportQuery(release: "4.3.0"),
      ReportQuery(from: Scene.today - 45, to: Scene.today - 30, release: "4.2.0 (1)"),
      ReportQuery(from: Scene.today - 45, to: Scene.today - 2, device: "iPhone12,1"),
      ReportQuery(from: Scene.today - 10, to: Scene.today - 2, os: "iOS 17.4.1", device: "iPhone12,1"),
    ]
    let read = {
      try queries.map {
        String(
          decoding: try scene.report($0, budgets: "sessions.crash_free >= 99.5%", "p90 screen.load <= 1 s").json(),
          as: UTF8.self)
      }
    }
    let before = try read()
    try scene.store.compact(now: Scene.now)
    for (query, (old, new)) in zip(queries, zip(before, try read())) { #expect(old == new, "\(query)") }
    // Once more: what is coarse stays.
    try scene.store.compact(now: Scene.now)
    #expect(try read() == before)
    #expect(before[0].contains("\"stage\":\"adopted\""))
  }
}
