import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("The control store: App Store Connect's numbers")
struct AppStoreFigureTests {
  private func figure(_ version: String, _ value: Double, device: String = "all_iphones") -> AppStoreFigure {
    AppStoreFigure(
      .init(
        platform: "iOS", category: "LAUNCH", metric: "launchTime", device: device, percentile: "p90", version: version),
      deviceName: "All iPhones", unit: "ms", value: value, errorMargin: value > 1 ? 0.5 : nil, goal: "good")
  }

  @Test(
    "App Store Connect's numbers replace those with the same key, keep Apple's order, and are deleted with their app")
  func replacing() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(1))
      let other = try store.addApp(bundleID: "a.c", settings: .init(), key: key("b"), at: day(1))
      try store.keep([figure("4.9", 1), figure("4.10", 2)], of: app.id, at: day(2))
      try store.keep([figure("4.9", 7)], of: other.id, at: day(2))
      let version = try store.version()
      try store.keep([figure("4.10", 3), figure("5.0", 4)], of: app.id, at: day(3))
      #expect(try store.version() > version, "pages in memory are outdated")
      #expect(
        try store.appStoreFigures(of: app.id) == [figure("4.9", 1), figure("4.10", 3), figure("5.0", 4)])
      try store.removeApp(app.id)
      #expect(try store.appStoreFigures(of: app.id).isEmpty)
      #expect(try store.appStoreFigures(of: other.id).count == 1)
      #expect(throws: ControlError.self) { try store.keep([figure("1", 1)], of: app.id, at: day(4)) }
    }
  }

  @Test("App Store Connect's numbers are bounded per app, and the oldest are deleted")
  func bound() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(1))
      for round in 1...3 {
        let figures = (0..<20_000).map { figure("\(round).\($0)", 1) }
        try store.keep(figures, of: app.id, at: day(Int64(round)))
      }
      let kept = try store.appStoreFigures(of: app.id)
      #expect(kept.count <= AppStoreFigureLimits.most + 20_000 && kept.count >= 40_000)
      try store.keep((0..<20_000).map { figure("4.\($0)", 1) }, of: app.id, at: day(4))
      let last = try store.appStoreFigures(of: app.id)
      #expect(last.count == 60_000 && last.first?.key.version == "2.0")
    }
  }
}
