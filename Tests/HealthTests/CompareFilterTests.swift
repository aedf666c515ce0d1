import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import SQLiteStore
@testable import Storage

@Suite("Comparisons of releases with filters and by label")
struct CompareFilterTests {
  /// A phone's launches and loads of screens on 2026-11-20, from `start` ms in steps of a permille.
  private struct Phone {
    var version: String
    var model: String
    var os: String
    var body: String

    init(_ version: String, _ model: String, os: String = "iOS 17.4.1", _ number: Int, _ values: [(String, Double)]) {
      (self.version, self.model, self.os) = (version, model, os)
      let parts = values.flatMap { label, start in
        (0..<3).map { index in
          let value = start * (0.8 + 0.0004 * Double((number * 3 + index) * 769 % 1000))
          let metric = label.isEmpty ? "launch.first_draw" : "screen.load"
          let named = label.isEmpty ? "" : #", "label": "\#(label)""#
          return #"{"metric": "\#(metric)", "value": \#(value), "unit": "ms", "at": "2026-11-20T10:00:00Z"\#(named)}"#
        }
      }
      body = Scene.native(
        version: version, model: model, os: os, "\"measurements\": [\(parts.joined(separator: ","))]")
    }
  }

  private func scene(_ phones: [Phone]) throws -> Scene {
    let scene = try Scene()
    try scene.receive(phones.map(\.body))
    return scene
  }

  private func compare(
    _ scene: Scene, _ query: ReportQuery = .init(), byLabel: Bool = false
  ) throws -> ReleaseComparison {
    try HealthReader(store: scene.store, budgets: DefaultBudgets.all)
      .compare(Scene.app, base: "4.1.0", head: "4.2.0", query, byLabel: byLabel, now: Scene.now)
  }

  /// Phones of two models and two systems, of which one of each is slower in the newer release.
  private static let fleet: [Phone] = {
    var phones: [Phone] = []
    for version in ["4.1.0", "4.2.0"] {
      for model in ["iPhone15,2", "iPhone12,1"] {
        let start: Double = version == "4.2.0" && model == "iPhone12,1" ? 1260 : 900
        for os in ["iOS 17.4.1", "iOS 18.1"] {
          for number in 0..<60 { phones.append(Phone(version, model, os: os, number, [("", start)])) }
        }
      }
    }
    return phones
  }()

  private static let queries = [
    ReportQuery(os: "iOS 18.1"), ReportQuery(device: "iPhone12,1"), ReportQuery(deviceClass: newerClass),
    ReportQuery(os: "iOS 18.1", device: "iPhone12,1"),
  ]
  private static let newerClass = DeviceClass.of(model: "iPhone15,2").name

  @Test("a filtered comparison equals that of a store with only the filtered phones", arguments: queries)
  func filters(query: ReportQuery) throws {
    func isMeant(_ model: String, _ os: String) -> Bool {
      let isOfClass = query.deviceClass == nil || model == "iPhone15,2"
      return isOfClass && os == query.os ?? os && model == query.device ?? model
    }
    let filtered = try compare(scene(Self.fleet), query)
    let alone = try compare(scene(Self.fleet.filter { isMeant($0.model, $0.os) }))
    #expect(filtered.metrics == alone.metrics && !filtered.metrics.isEmpty)
    #expect(filtered.slice.os == query.os && filtered.slice.device == query.device && filtered.slice.release == nil)
    let launch = try #require(filtered.metrics.first { $0.name == "launch.first_draw" })
    #expect(launch.verdict == (query.deviceClass != nil ? .noDifferenceShown : .worse))
  }

  @Test("days with only wider rows are left out of a narrower comparison")
  func oldDays() throws {
    let scene = try Scene()
    for day in ["2026-08-20", "2026-11-20"] {
      for version in ["4.1.0", "4.2.0"] {
        try scene.receive(
          Scene.sessions(40, crashed: 1, prefix: day + version, started: "\(day)T10:00:00Z", version: version))
      }
    }
    #expect(try compare(scene).window.from.iso == "2026-08-20")
    // Combined filters are kept 35 days.
    let narrow = try compare(scene, ReportQuery(os: "iOS 17.4.1"))
    #expect(narrow.window.from.iso == "2026-10-17" && narrow.window.to.iso == "2026-11-20")
    #expect(narrow.metrics.first?.head.n == 40)
  }

  private static let screens: [Phone] = {
    var phones: [Phone] = []
    for version in ["4.1.0", "4.2.0"] {
      let cart: Double = version == "4.2.0" ? 1400 : 700
      for model in ["iPhone15,2", "iPhone12,1"] {
        for number in 0..<80 {
          phones.append(
            Phone(version, model, number, [("CartView", cart), ("HomeView", 500), ("SearchView", 600)]))
        }
      }
    }
    return phones
  }()

  @Test("the screen that became slower is listed first and is the only one that is worse")
  func slowerScreen() throws {
    let scene = try scene(Self.screens)
    let comparison = try compare(scene, byLabel: true)
    #expect(comparison.labels.map(\.label) == ["CartView", "HomeView", "SearchView"])
    #expect(comparison.labels.map(\.severity) == [.worse, .noDifference, .noDifference])
    #expect(comparison.labels.allSatisfy { $0.name == "screen.load" && $0.base.n == 480 && $0.head.n == 480 })
    let cart = try #require(comparison.labels.first?.difference)
    // Every value doubled.
    #expect(abs(cart.value - 1) < 0.03)
    #expect(comparison.labelWindow == comparison.window && comparison.leftOutLabels == 0)
    #expect(try compare(scene).labels.isEmpty)
  }

  @Test("the label filter compares only its metrics, with the numbers of the list of labels")
  func labelFilter() throws {
    let scene = try scene(Self.screens + Self.fleet)
    let all = try compare(scene, byLabel: true)
    for label in ["CartView", "HomeView"] {
      let one = try compare(scene, ReportQuery(label: label), byLabel: true)
      var listed = try #require(all.labels.first { $0.label == label })
      let own = try #require(one.metrics.first)
      #expect(one.metrics.count == 1 && one.labels.isEmpty && one.slice.label == label)
      #expect(own.base == listed.base && own.head == listed.head && own.difference == listed.difference)
      listed.label = nil
      #expect(own.classes == listed.classes)
    }
    #expect(try compare(scene, ReportQuery(label: "NoSuchView")).metrics.isEmpty)
  }

  @Test("labels beyond the limit of a comparison, those with the fewest values, are left out and counted")
  func manyLabels() throws {
    var phones: [Phone] = []
    for version in ["4.1.0", "4.2.0"] {
      for screen in 0..<70 {
        let loads = Array(repeating: ("Screen\(screen)", 500.0), count: screen < 60 ? 2 : 1)
        phones.append(Phone(version, "iPhone15,2", screen, loads))
      }
    }
    let comparison = try compare(scene(phones), byLabel: true)
    #expect(comparison.labels.count == 60 && comparison.leftOutLabels == 10)
    #expect(Set(comparison.labels.compactMap(\.label)) == Set((0..<60).map { "Screen\($0)" }))
  }

  @Test("early adopters on newer phones reverse the raw difference, and the responsible device class is named")
  func mix() throws {
    var phones: [Phone] = []
    for (version, old, new) in [("4.1.0", 300, 80), ("4.2.0", 80, 300)] {
      phones += (0..<old).map { Phone(version, "iPhone10,3", $0, [("", 1600)]) }
      phones += (0..<new).map { Phone(version, "iPhone17,1", $0, [("", 800)]) }
    }
    let launch = try #require(try compare(scene(phones)).metrics.first { $0.name == "launch.first_draw" })
    #expect(launch.isMixed)
    let shift = try #require(launch.mixShift)
    #expect([DeviceClass.of(model: "iPhone10,3").name, DeviceClass.of(model: "iPhone17,1").name].contains(shift.name))
    let shares = [shift.base, shift.head].sorted()
    #expect(abs(shares[0] - 80.0 / 380) < 1e-9 && abs(shares[1] - 300.0 / 380) < 1e-9)
    let alike = try #require(try compare(scene(Self.fleet)).metrics.first { $0.name == "launch.first_draw" })
    #expect(!alike.isMixed && alike.mixShift == nil)
  }

  @Test("without names the newest release in use is compared with the one before, not with a rarely used one")
  func defaultPair() throws {
    let scene = try Scene()
    for (version, count) in [("4.0.0", 200), ("4.1.0", 300), ("4.2.0", 400), ("4.3.0", 4)] {
      try scene.receive(
        Scene.sessions(count, crashed: 0, prefix: version, started: "2026-11-20T10:00:00Z", version: version))
    }
    let reader = HealthReader(store: scene.store, budgets: [])
    let pair = try #require(
      try reader.comparedReleases(Scene.app, ReportQuery(release: "4.0.0", device: "iPhone1,1"), now: Scene.now))
    #expect(pair.head == "4.2.0" && pair.base == "4.1.0")
    let single = try Scene()
    try single.receive(Scene.sessions(40, crashed: 0, prefix: "a"))
    #expect(
      try HealthReader(store: single.store, budgets: []).comparedReleases(Scene.app, .init(), now: Scene.now) == nil)
  }
}
