import Foundation
import HealthScene
import Testing
import TestSupport

@testable import Analysis
@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

@Suite("Where a release became worse")
struct CauseTests {
  private static let models = ["iPhone15,2", "iPhone14,5", "iPhone12,1"]
  private static let systems = ["iOS 18.1", "iOS 18.2", "iOS 26.0"]

  /// 400 sessions of every model and system on both releases; `crashed` of those of the newer one.
  private func scene(
    attribute: String? = nil, crashed: (_ model: String, _ system: String, _ number: Int) -> Bool
  ) throws -> Scene {
    let scene = try Scene()
    for version in ["4.1.0", "4.2.0"] {
      for (index, model) in Self.models.enumerated() {
        for (place, system) in Self.systems.enumerated() {
          let parts = (0..<400).map { number in
            let isCrashed = number < 8 || version == "4.2.0" && crashed(model, system, number)
            return """
              {"id": "\(version)-\(index)-\(place)-\(number)", "started": "2026-11-18T10:00:00Z", \
              "status": "\(isCrashed ? "crashed" : "exited")"}
              """
          }
          try scene.receive([
            Scene.native(
              version: version, model: model, os: system, "\"sessions\": [\(parts.joined(separator: ","))]")
          ])
        }
      }
    }
    return scene
  }

  private func causes(_ scene: Scene, of metric: String = "sessions.crash_free") throws -> CauseList {
    let reader = HealthReader(store: scene.store, budgets: DefaultBudgets.all)
    return try #require(
      try reader.causes(of: metric, in: "4.2.0", environment: "production", Scene.app, now: Scene.now))
  }

  @Test("the OS version on which a release crashes more is named, with the shares of an independent count")
  func system() throws {
    let list = try causes(try scene { _, system, number in system == "iOS 18.2" && number < 32 })
    let cause = try #require(list.causes.first)
    #expect(list.causes.count == 1)
    #expect(cause.names == [.init(dimension: .os, value: "iOS 18.2")])
    // 8 of 400 crashed everywhere; 32 of 400 on three of nine combinations.
    #expect(abs((cause.ratio.value ?? 0) - 4) < 0.1)
    #expect((cause.ratio.low ?? 0) > 2 && (cause.ratio.high ?? 9) < 8)
    #expect(abs(cause.useShare - 1.0 / 3) < 1e-12)
    #expect(abs(cause.eventShare - 96.0 / 144) < 1e-12)
    #expect(abs((cause.explained.value ?? 0) - 1) < 1e-12)
  }

  @Test("a model and a system that are worse only together are named together")
  func pair() throws {
    let list = try causes(
      try scene { model, system, number in model == "iPhone12,1" && system == "iOS 26.0" && number < 60 })
    #expect(
      list.causes.map(\.names) == [
        [.init(dimension: .os, value: "iOS 26.0"), .init(dimension: .device, value: "iPhone12,1")]
      ])
    #expect(list.causes.first?.title.hasSuffix("with iOS 26.0") == true)
    let slice = try #require(list.causes.first?.slice(of: Slice()))
    #expect(slice == Slice(os: "iOS 26.0", device: "iPhone12,1"))
  }

  @Test("all versions of iOS 18 are named as one, and the filter selects them")
  func major() throws {
    let scene = try scene { _, system, number in system.hasPrefix("iOS 18") && number < 28 }
    let list = try causes(scene)
    #expect(list.causes.map(\.names) == [[.init(dimension: .os, value: "iOS 18.*")]])
    #expect(list.causes.first?.title == "iOS 18.x")
    let report = try scene.report(ReportQuery(release: "4.2.0", os: "iOS 18.*"))
    #expect(report.sessions.total == 6 * 400)
    let exact = try scene.report(ReportQuery(release: "4.2.0", os: "iOS 18.1"))
    #expect(exact.sessions.total == 3 * 400)
  }

  @Test("a release that is worse everywhere has no cause")
  func everywhere() throws {
    let list = try causes(try scene { _, _, number in number < 24 })
    #expect(list.causes.isEmpty && list.tested > 0)
    #expect(list.answer.contains("everywhere"))
  }

  @Test("with a handful of crashes nothing is said")
  func few() throws {
    let scene = try Scene()
    for version in ["4.1.0", "4.2.0"] {
      try scene.receive(
        Scene.sessions(300, crashed: version == "4.2.0" ? 6 : 1, prefix: version, version: version))
    }
    let list = try causes(scene)
    #expect(list.causes.isEmpty && list.tested == 0)
    #expect(list.answer.contains("too few"))
  }

  @Test("the model whose launches became slower is named, by values above the base's percentile")
  func launches() throws {
    let scene = try Scene()
    for version in ["4.1.0", "4.2.0"] {
      for model in Self.models {
        for system in Self.systems {
          for phone in 0..<40 {
            let factor = version == "4.2.0" && model == "iPhone14,5" ? 1.5 : 1.0
            let values = (0..<4).map { index in
              let value = (600 + Double((phone * 4 + index) * 7919 % 400)) * factor
              return #"{"metric": "launch.first_draw", "value": \#(value), "unit": "ms", "at": "2026-11-19T10:00:00Z"}"#
            }
            try scene.receive([
              Scene.native(
                version: version, model: model, os: system, "\"measurements\": [\(values.joined(separator: ","))]")
            ])
          }
        }
      }
    }
    let list = try causes(scene, of: "launch.first_draw")
    #expect(list.causes.first?.names == [.init(dimension: .device, value: "iPhone14,5")])
    #expect(list.causes.count == 1)
  }

  /// Sessions on a day, the first `crashed` of them crashed.
  private static func sessions(
    _ count: Int, crashed: Int, _ name: String, version: String = "4.2.0", build: String = "", model: String,
    day: String = "2026-11-18"
  ) -> String {
    let parts = (0..<count).map { number in
      """
      {"id": "\(name)-\(number)", "started": "\(day)T10:00:00Z", \
      "status": "\(number < crashed ? "crashed" : "exited")"}
      """
    }
    return Scene.native(
      version: version, build: build, model: model, "\"sessions\": [\(parts.joined(separator: ","))]")
  }

  @Test("the build of a release that crashes more is named, and links select it")
  func build() throws {
    let scene = try Scene()
    for (index, model) in Self.models.enumerated() {
      try scene.receive([
        Self.sessions(800, crashed: 16, "a\(index)", version: "4.1.0", build: "9", model: model),
        Self.sessions(400, crashed: 8, "b\(index)", build: "1", model: model),
        Self.sessions(400, crashed: 32, "c\(index)", build: "2", model: model),
      ])
    }
    let list = try causes(scene)
    #expect(list.causes.map(\.names) == [[.init(dimension: .release, value: "4.2.0 (2)")]])
    #expect(list.causes.first?.slice(of: Slice()).release == "4.2.0 (2)")
    #expect(abs((list.causes.first?.ratio.value ?? 0) - 4) < 0.2)
    #expect(abs((list.causes.first?.useShare ?? 0) - 0.5) < 1e-12)
  }

  @Test("the screen that became slower is named")
  func label() throws {
    let scene = try Scene()
    for version in ["4.1.0", "4.2.0"] {
      for model in Self.models {
        for screen in ["Cart", "Feed", "Search", "Login"] {
          for phone in 0..<12 {
            let factor = version == "4.2.0" && screen == "Cart" ? 1.6 : 1
            let values = (0..<8).map { index in
              let value = (600 + Double((phone * 8 + index) * 7919 % 400)) * factor
              return """
                {"metric": "screen.load", "label": "\(screen)", "value": \(value), "unit": "ms", \
                "at": "2026-11-19T10:00:00Z"}
                """
            }
            try scene.receive([
              Scene.native(version: version, model: model, "\"measurements\": [\(values.joined(separator: ","))]")
            ])
          }
        }
      }
    }
    let list = try causes(scene, of: "screen.load")
    #expect(list.causes.map(\.names) == [[.init(dimension: .label, value: "Cart")]])
    #expect(list.causes.first?.slice(of: Slice()).label == "Cart")
  }

  @Test("what became worse in the last week of one release is named without another release")
  func lastWeek() throws {
    let scene = try Scene()
    for day in 0..<28 {
      let iso = (Scene.today - day).iso
      for (index, model) in Self.models.enumerated() {
        let crashed = day < 7 && index == 1 ? 16 : 2
        try scene.receive([Self.sessions(100, crashed: crashed, "\(day)-\(index)", model: model, day: iso)])
      }
    }
    let reader = HealthReader(store: scene.store, budgets: DefaultBudgets.all)
    let scope = try reader.scope(of: Scene.app, ReportQuery(), now: Scene.now)
    let list = try #require(try reader.causesOfLastWeek(of: "sessions.crash_free", in: "4.2.0", scope))
    #expect(list.causes.map(\.names) == [[.init(dimension: .device, value: Self.models[1])]])
    #expect(list.base == nil && list.before == Window(from: Scene.today - 27, to: Scene.today - 7))
    #expect(list.window == Window(from: Scene.today - 6, to: Scene.today))
    #expect(abs((list.causes.first?.ratio.value ?? 0) - 8) < 0.6)
  }

  /// Users of both releases, with a first session and later ones; of 600 of the newer one, `crashed` in their first.
  private func updates(crashed: Int) throws -> CauseList {
    let scene = try Scene()
    for user in 0..<900 {
      let isUpdated = user < 600
      for (version, days) in [("4.1.0", -12 ... -3), ("4.2.0", -6 ... -1)] where version == "4.1.0" || isUpdated {
        let parts = days.map { day in
          // Every user crashes now and then.
          let isFirst = day == days.lowerBound
          let isCrashed = isFirst && version == "4.2.0" ? user < crashed : (user + day + 40) % 50 == 0
          return """
            {"id": "\(version)-\(user)-\(day)", "started": "\((Scene.today + day).iso)T10:00:00Z", \
            "status": "\(isCrashed ? "crashed" : "exited")"}
            """
        }
        try scene.receive([
          Scene.native(
            version: version, model: Self.models[user % 3], installation: "u\(user)",
            "\"sessions\": [\(parts.joined(separator: ","))]")
        ])
      }
    }
    return try causes(scene)
  }

  @Test("a release that crashes more in the first session after the update is named as that")
  func firstSession() throws {
    let list = try updates(crashed: 120)
    let cause = try #require(list.causes.last)
    #expect(cause.names == [.init(dimension: .updateAge, value: NamedCause.firstSession)])
    #expect(cause.title == "the first session after the update")
    // 20 % of first sessions instead of 2 %, one of four sessions on the days that both have.
    #expect((cause.ratio.low ?? 0) > 4 && (cause.ratio.value ?? 99) < 20)
    #expect(abs(cause.useShare - 1.0 / 4) < 0.01)
    #expect(try updates(crashed: 12).causes.isEmpty)
  }

  @Test("a release whose screens load more slowly in the first run only is not halted, and that run is named")
  func firstRun() throws {
    func rollout(slowerFirst: Double) throws -> RolloutVital {
      let scene = try Scene()
      // Every phone has its own mean of log-normal times; the first run is twice as slow in both releases.
      var random = SeededRandom(seed: 11)
      for phone in 0..<300 {
        let level = 400 * exp(0.2 * random.normal())
        let (installed, updated) = (phone % 7 - 18, phone % 5 - 6)
        let documents = (installed..<0).flatMap { day in
          (0..<2).map { run in
            let version = day < updated ? "4.1.0" : "4.2.0"
            let first = day < updated ? installed : updated
            let isFirst = day == first && run == 0
            let factor = isFirst ? 2 * (day < updated ? 1 : slowerFirst) : 1
            let value = Int(level * factor * exp(0.3 * random.normal()))
            let time = "\((Scene.today + day).iso)T1\(run):00:00Z"
            return Scene.native(
              version: version, model: Self.models[phone % 3], installation: "p\(phone)",
              firstRun: (Scene.today + first, isFirst),
              """
              "sessions": [{"id": "\(phone)-\(day)-\(run)", "status": "ok", "started": "\(time)"}], \
              "measurements": [{"metric": "screen.load", "value": \(value), "label": "Home", "at": "\(time)"}]
              """)
          }
        }
        try scene.receive(documents)
      }
      let budgets = try BudgetFile.parse("budgets:\n  - \"p90 screen.load <= 9 s\"\n", fileName: "b").budgets
      let report = try HealthReader(store: scene.store, budgets: budgets).rollout(
        Scene.app, release: "4.2.0", base: "4.1.0", findsCauses: true, now: Scene.now)
      return try #require(report.vitals.first { $0.name == "screen.load" })
    }
    let slower = try rollout(slowerFirst: 1.8)
    #expect(slower.state == .afterUpdate && slower.matchedShare > 0.9, "\(slower.state)")
    #expect(slower.causes?.causes.map(\.title) == ["the first session after the update"])
    let equal = try rollout(slowerFirst: 1)
    #expect(equal.state != .worse && equal.causes == nil, "\(equal.state)")
  }

  @Test("with very many combinations, only the last days are read")
  func many() {
    let window = Window(days: 28, endingOn: Scene.today)
    #expect(HealthReader.searched(window, combinations: 8_900, labels: 0) == window)
    #expect(
      HealthReader.searched(window, combinations: 100_000, labels: 1) == Window(days: 2, endingOn: Scene.today))
    #expect(
      HealthReader.searched(window, combinations: 5_000, labels: 10) == Window(days: 5, endingOn: Scene.today))
    #expect(
      HealthReader.searched(window, combinations: 9_000_000, labels: 9) == Window(days: 1, endingOn: Scene.today))
  }

  @Test("a comparison names causes only of worse metrics, and only if asked")
  func comparison() throws {
    let scene = try scene { _, system, number in system == "iOS 18.2" && number < 40 }
    let reader = HealthReader(store: scene.store, budgets: DefaultBudgets.all)
    let plain = try reader.compare(Scene.app, base: "4.1.0", head: "4.2.0", now: Scene.now)
    #expect(plain.metrics.allSatisfy { $0.causes == nil })
    let full = try reader.compare(Scene.app, base: "4.1.0", head: "4.2.0", findsCauses: true, now: Scene.now)
    let worse = full.metrics.filter { $0.verdict == .worse }
    #expect(worse.first { $0.name == "sessions.crash_free" }?.causes?.causes.first?.title == "iOS 18.2")
    #expect(full.metrics.allSatisfy { $0.verdict == .worse || $0.causes == nil })
    let text = String(decoding: ComparisonFormatter.text(full, .text), as: UTF8.self)
    #expect(text.contains("iOS 18.2: "))
  }
}
