import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Storage

@Suite("The onset of a breach")
struct OnsetTests {
  @Test(
    "a breach began on the first day of the stretch with the largest excess, as found by trying every day",
    arguments: [
      ([-1, -1, 5, 4, 6], 2), ([-1, -1, 5, -2, 6], 2), ([3, -9, 5, 4], 2), ([3, -2, 5, 4], 0), ([5, 4, -20], nil),
      ([], nil), ([0, 0, 2], 2), ([-5, 1, -0.5, 1], 1),
    ] as [([Double], Int?)])
  func start(excess: [Double], expected: Int?) {
    #expect(Onset.start(of: excess) == expected)
    let sums = excess.indices.map { (index: $0, sum: excess[$0...].reduce(0, +)) }.filter { $0.sum > 0 }
    let most = sums.map(\.sum).max()
    #expect(Onset.start(of: excess) == sums.last { $0.sum == most }?.index)
  }

  /// 400 sessions of as many people on each day, as many of them crashed as given.
  private static func days(_ crashed: [Int], version: String) -> [String] {
    crashed.enumerated().flatMap { index, crashed in
      (0..<400).map { number in
        let day = "2026-11-\(11 + index)"
        let status = number < crashed ? "crashed" : "exited"
        return Scene.native(
          version: version, installation: "\(version)-\(index)-\(number)",
          """
          "sessions": [{"id": "\(version)-\(index)-\(number)", "started": "\(day)T10:00:00Z", "status": "\(status)"}]
          """)
      }
    }
  }

  @Test("a release's crash-free rate broke on the day its crashes began, not on its first day and not today")
  func release() throws {
    let scene = try Scene()
    let text = "sessions.crash_free >= 99.5%"
    // From the fourth day on 4 %; one good day between.
    try scene.receive(Self.days([1, 0, 1, 16, 14, 0, 18, 15], version: "4.3.0"))
    try scene.receive(Self.days([0, 1, 0, 1, 0, 1, 0, 0], version: "4.2.0"))
    func onset(_ release: String?, budget: String? = text, metric: String = "sessions.crash_free") throws -> String? {
      try scene.reader(text).onset(of: metric, budget: budget, on: Slice(release: release), Scene.app, now: Scene.now)?
        .iso
    }
    #expect(try onset("4.3.0 (1)") ?? onset("4.3.0") == "2026-11-14T00:00:00Z")
    #expect(try onset(nil) == "2026-11-14T00:00:00Z")
    #expect(try onset("4.2.0 (1)") == nil && onset("4.2.0") == nil)
    #expect(try onset(nil, budget: nil) == "2026-11-14T00:00:00Z")
    #expect(try onset(nil, budget: "sessions.crash_free >= 1%") == nil, "no such budget")
  }
}
