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

  private func insight(_ category: String, _ version: String) -> AppStoreInsight {
    AppStoreInsight(
      kind: .regression, category: category, metric: "m", latestVersion: version, referenceVersions: ["1"],
      summary: "s",
      maximum: 2.5, isHighImpact: true, subsystem: "",
      populations: [
        .init(device: "d", percentile: "p90", delta: -1.5, latest: 1, reference: nil, summary: "")
      ])
  }

  private func answer(goal: Double, insights: [AppStoreInsight], covering: Set<String>) -> AppStorePerformance {
    var answer = AppStorePerformance()
    answer.figures = [figure("4.9", 1)]
    answer.figures[0].parts = [.init(label: "Audio", share: 12.5)]
    answer.goals = [
      AppStoreGoal(
        platform: "iOS", category: "LAUNCH", metric: "launchTime", device: "all_iphones", percentile: "p90",
        name: "recommended", high: goal, unit: "ms", detail: "d")
    ]
    answer.insights = insights
    answer.insightCategories = covering
    return answer
  }

  @Test("App Store Connect's notes are kept as they were, and a newer import replaces those that it covers")
  func notes() throws {
    try withFolder { folder in
      let store = try SQLiteControlStore(folder: folder)
      let app = try store.addApp(bundleID: "a.b", settings: .init(), key: key("a"), at: day(1))
      var first = answer(
        goal: 1200, insights: [insight("LAUNCH", "4.9"), insight("HANG", "4.9")], covering: ["LAUNCH", "HANG"])
      first.signatures = [
        AppStoreSignature(
          kind: .hangs, id: "1", signature: "f", weight: 45.5, count: 3, version: "4.9", file: "F.swift", line: 4,
          trend: "up", references: [.init(version: "4.8", value: 2)]),
        AppStoreSignature(kind: .launches, id: "", signature: "g", weight: nil),
      ]
      first.signatureKinds = [.hangs, .launches]
      for _ in 1...2 { try store.keep(first, of: app.id, at: day(2)) }
      var kept = try store.appStoreNotes(of: app.id)
      #expect(kept.goals.map(\.imported) == [day(2).milliseconds])
      kept.goals[0].imported = nil
      #expect(kept.goals == first.goals && Set(kept.insights) == Set(first.insights))
      #expect(kept.signatures == first.signatures, "importing twice counts once")
      #expect(try store.appStoreFigures(of: app.id).first?.parts == [.init(label: "Audio", share: 12.5)])

      // The newer import has no insight about launches and no slow launch, and does not say anything about hangs.
      var second = answer(goal: 1100, insights: [], covering: ["LAUNCH"])
      second.signatureKinds = [.launches]
      try store.keep(second, of: app.id, at: day(3))
      kept = try store.appStoreNotes(of: app.id)
      #expect(kept.goals.map(\.high) == [1100] && kept.goals.map(\.imported) == [day(3).milliseconds])
      #expect(kept.insights.map(\.category) == ["HANG"] && kept.signatures.map(\.kind) == [.hangs])
      try store.removeApp(app.id)
      #expect(try store.appStoreNotes(of: app.id) == AppStorePerformance())
    }
  }
}
