import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import SQLiteStore
@testable import Storage

/// Numbers of one value of the app's attribute against those of a store that has only its payloads.
@Suite("The app's attribute")
struct AttributeTests {
  private static let app = App(
    id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0),
    settings: AppSettings(attributes: ["experiment"]))

  /// A phone on a day: sessions, launches and loads of a screen.
  private struct Phone {
    var arm: String?
    var version = "4.2.0"
    var model: String
    var number: Int
    var day = "2026-11-20"

    /// How much slower the arm is, in a thousandth.
    private var slowness: Double { arm == "new-cart" ? 1.3 : arm == "old-cart" ? 1.1 : 1 }

    /// The document. `asRelease`: the arm is the version, as a store without attributes would tell it apart.
    func body(asRelease: Bool = false) -> String {
      let values = (0..<3).map { index in
        let value = 900 * slowness * (0.8 + 0.0004 * Double((number * 3 + index) * 769 % 1000))
        let label = index == 0 ? "" : #", "label": "CartView""#
        let metric = index == 0 ? "launch.first_draw" : "screen.load"
        return #"{"metric": "\#(metric)", "value": \#(value), "unit": "ms", "at": "\#(day)T10:00:00Z"\#(label)}"#
      }
      let isCrashed = number % (arm == "new-cart" ? 6 : 20) == 0
      let id = "\(arm ?? "-")/\(version)/\(model)/\(number)/\(day)"
      let session = """
        {"id": "\(id)", "started": "\(day)T09:00:00Z", "status": "\(isCrashed ? "crashed" : "exited")"}
        """
      let attributes = arm.map { #""attributes": {"experiment": "\#($0)"}, "# } ?? ""
      return Scene.native(
        version: asRelease ? arm ?? "none" : version, model: model, installation: "u\(arm ?? "-")\(number)",
        attributes + "\"sessions\": [\(session)], \"measurements\": [\(values.joined(separator: ","))]")
    }
  }

  private static let fleet: [Phone] = {
    var phones: [Phone] = []
    for arm in ["control", "new-cart", "old-cart", nil] {
      for version in ["4.1.0", "4.2.0"] {
        for model in ["iPhone15,2", "iPhone12,1"] {
          phones += (0..<30).map { Phone(arm: arm, version: version, model: model, number: $0) }
          phones += (0..<10).map { Phone(arm: arm, version: version, model: model, number: $0, day: "2026-11-19") }
        }
      }
    }
    return phones
  }()

  private static func scene(_ phones: [Phone], attribute: String? = "experiment", asRelease: Bool = false) throws
    -> Scene
  {
    let scene = try Scene()
    try scene.receive(phones.map { $0.body(asRelease: asRelease) }, attributes: [attribute].compactMap { $0 })
    return scene
  }

  private static func filter(_ text: String) throws -> AttributeFilter { try #require(AttributeFilter(text)) }

  private static func isMeant(_ phone: Phone, by filter: AttributeFilter) -> Bool {
    phone.arm.map { ($0 == filter.value) != filter.isExcluding } ?? false
  }

  @Test(
    "every number of a filtered report equals that of a store with only these payloads",
    arguments: ["experiment=control", "experiment=new-cart", "experiment!=new-cart"],
    [ReportQuery(), ReportQuery(release: "4.2.0"), ReportQuery(deviceClass: DeviceClass.of(model: "iPhone12,1").name)])
  func report(text: String, query: ReportQuery) throws {
    let filter = try Self.filter(text)
    let alone = try Self.scene(Self.fleet.filter { Self.isMeant($0, by: filter) }, attribute: nil)
    var filtered = query
    filtered.attribute = filter
    let scene = try Self.scene(Self.fleet)
    func numbers(_ scene: Scene, _ query: ReportQuery) throws -> HealthReport {
      var report = try HealthReader(store: scene.store, budgets: DefaultBudgets.all)
        .report(Self.app, query, now: Scene.now)
      // What names the filter, counts records, or is only kept for all devices together.
      report.slice.attribute = nil
      report.digestedThrough = 0
      report.burn = BurnReport()
      report.judgement = nil
      // Releases within a value and a class are no rollup: without users their intervals are those of single events.
      if query.deviceClass != nil { report.releases = [] }
      for index in report.budgets.indices { report.budgets[index].slice.attribute = nil }
      return report
    }
    let (own, whole) = (try numbers(scene, filtered), try numbers(alone, query))
    #expect(own.json() == whole.json())
    #expect(own.sessions.total > 0 && own.metrics.count > 1)
  }

  @Test("groups of an attribute are compared like releases, with the numbers of a store whose releases are the groups")
  func groups() throws {
    let scene = try Self.scene(Self.fleet)
    let reader = HealthReader(store: scene.store, budgets: DefaultBudgets.all)
    let twin = try Self.scene(Self.fleet, attribute: nil, asRelease: true)
    let twins = HealthReader(store: twin.store, budgets: DefaultBudgets.all)
    let arms = try reader.compare(
      Self.app, base: "experiment=control", head: "experiment=new-cart", byLabel: true, now: Scene.now)
    let releases = try twins.compare(Self.app, base: "control", head: "new-cart", byLabel: true, now: Scene.now)
    #expect(arms.metrics == releases.metrics && arms.labels == releases.labels && !arms.labels.isEmpty)
    let launch = try #require(arms.metrics.first { $0.name == "launch.first_draw" })
    #expect(launch.verdict == .worse && abs((launch.difference?.value ?? 0) - 0.3) < 0.05)
    #expect(arms.names.head == "new-cart" && arms.base == "experiment=control" && arms.slice.attribute == nil)
    // One release, one system.
    let query = ReportQuery(release: "4.2.0", os: "iOS 17.4.1")
    let narrow = try reader.compare(
      Self.app, base: "experiment=control", head: "experiment=new-cart", query, now: Scene.now)
    let part = try Self.scene(Self.fleet.filter { $0.version == "4.2.0" }, attribute: nil, asRelease: true)
    let own = try HealthReader(store: part.store, budgets: DefaultBudgets.all)
      .compare(Self.app, base: "control", head: "new-cart", ReportQuery(os: "iOS 17.4.1"), now: Scene.now)
    #expect(narrow.metrics == own.metrics && narrow.slice.release == "4.2.0")
  }

  @Test("one value is compared with all others together, and payloads without a value are in neither")
  func rest() throws {
    let scene = try Self.scene(Self.fleet)
    let comparison = try HealthReader(store: scene.store, budgets: DefaultBudgets.all)
      .compare(Self.app, base: "experiment!=new-cart", head: "experiment=new-cart", now: Scene.now)
    let twin = try Scene()
    // In the store beside it, the rest is one release.
    try twin.receive(
      Self.fleet.filter { $0.arm != nil }.map { phone in
        let body = phone.body(asRelease: true)
        return phone.arm == "new-cart"
          ? body : body.replacing(#""version": "\#(phone.arm ?? "")""#, with: #""version": "rest""#)
      })
    let own = try HealthReader(store: twin.store, budgets: DefaultBudgets.all)
      .compare(Self.app, base: "rest", head: "new-cart", now: Scene.now)
    #expect(comparison.metrics == own.metrics && !own.metrics.isEmpty)
    #expect(comparison.names.base == "all but new-cart")
    let users = try #require(comparison.metrics.first { $0.name == "users.crash_free_daily" })
    #expect(users.base.n == 2 * 40 && users.head.n == 40)
  }

  @Test("releases are compared within one value, with the numbers of a store of its payloads")
  func releasesOfValue() throws {
    let filter = try Self.filter("experiment=control")
    let scene = try Self.scene(Self.fleet)
    let own = try HealthReader(store: scene.store, budgets: DefaultBudgets.all)
      .compare(Self.app, base: "4.1.0", head: "4.2.0", ReportQuery(attribute: filter), now: Scene.now)
    let alone = try Self.scene(Self.fleet.filter { $0.arm == "control" }, attribute: nil)
    let whole = try HealthReader(store: alone.store, budgets: DefaultBudgets.all)
      .compare(Self.app, base: "4.1.0", head: "4.2.0", now: Scene.now)
    #expect(own.metrics == whole.metrics && own.slice.attribute == filter)
  }

  @Test("a comparison that is not possible is refused with the reason")
  func refusals() throws {
    let scene = try Self.scene(Self.fleet)
    let reader = HealthReader(store: scene.store, budgets: [])
    func error(_ base: String, _ head: String, _ query: ReportQuery = .init(), app: App = Self.app) -> String {
      do {
        _ = try reader.compare(app, base: base, head: head, query, now: Scene.now)
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(error("4.2.0", "experiment=control").contains("a release and a value"))
    #expect(error("experiment!=control", "experiment=new-cart").contains("overlap"))
    #expect(error("experiment!=control", "experiment!=new-cart").contains("overlap"))
    #expect(error("experiment=control", "experiment=control").contains("base and head are both"))
    #expect(error("experiment=control", "experiment = control").contains("base and head are both"))
    #expect(error("region=DE", "region=AT").contains("the attribute of com.example.shop is experiment, not region"))
    #expect(error("a=1", "a=2", app: Scene.app).contains("has no attribute"))
    let filter = try Self.filter("experiment=control")
    #expect(error("experiment=a", "experiment=b", ReportQuery(attribute: filter)).contains("already values of"))
    #expect(error("experiment=control", "experiment=nope").contains("no data for experiment=nope"))
    #expect(error("experiment=nope", "experiment=control").contains("values with data: experiment=control"))
    #expect(error("4.1.0", "4.2.0", ReportQuery(release: "4.2.0")).contains("if base and head are releases"))
  }

  @Test("a budget on a value evaluates only its payloads, also for a release")
  func budgets() throws {
    let limit = "p90 launch.first_draw <= 1.2 s"
    func results(_ scene: Scene, _ budget: String, _ query: ReportQuery = .init()) throws -> BudgetResult {
      try #require(try scene.reader(budget).check(Self.app, query, now: Scene.now).first)
    }
    let scene = try Self.scene(Self.fleet)
    for text in ["experiment = new-cart", "experiment = control", "experiment != new-cart"] {
      let filter = try Self.filter(text)
      let alone = try Self.scene(Self.fleet.filter { Self.isMeant($0, by: filter) }, attribute: nil)
      for query in [ReportQuery(), ReportQuery(release: "4.1.0")] {
        let (own, whole) = (
          try results(scene, limit + ", where \(text)", query), try results(alone, limit, query)
        )
        #expect(
          own.value == whole.value && own.n == whole.n && own.verdict == whole.verdict && own.bound == whole.bound)
        #expect(own.slice.attribute == filter && own.n > 0)
      }
    }
    #expect(try results(scene, limit + ", where experiment = new-cart").verdict == .broken)
    #expect(try results(scene, limit + ", where experiment = control").verdict == .within)
    #expect(try results(scene, limit + ", where experiment = nobody").reason == .unmatched)
  }

  @Test("after a change of attribute, old values stay but are not offered, and return with the old name")
  func renamed() throws {
    let scene = try Self.scene(Self.fleet.filter { $0.arm == "control" })
    let region = #""attributes": {"region": "DE", "experiment": "control"}, "#
    try scene.receive(
      [Scene.native(region + #""sessions": [{"id": "r", "started": "2026-11-20T09:00:00Z", "status": "exited"}]"#)],
      attributes: ["region"])
    func sessions(_ text: String, of name: String) throws -> Int {
      var app = Self.app
      app.settings.attributes = [name]
      return try HealthReader(store: scene.store, budgets: [])
        .report(app, ReportQuery(attribute: try Self.filter(text)), now: Scene.now).sessions.total
    }
    let total = try scene.report().sessions.total
    #expect(total == 161)
    #expect(try sessions("region=DE", of: "region") == 1 && sessions("region!=AT", of: "region") == 1)
    #expect(try sessions("experiment=control", of: "experiment") == 160)
    #expect(throws: InvalidQuery.self) { try sessions("experiment=control", of: "region") }
  }
}

/// Comparisons of values of several attributes, and the check of how users were divided.
@Suite("Several attributes of an app")
struct SeveralAttributesTests {
  private static let app = App(
    id: 1, bundleID: "com.example.shop", created: Timestamp(milliseconds: 0),
    settings: AppSettings(attributes: ["experiment", "region"]))
  private static let models = ["iPhone15,2", "iPhone12,1"]

  /// A session of each user. `arm`, `region`: the values of a user.
  private static func scene(_ users: Int, arm: (Int) -> String, region: (Int) -> String = { _ in "DE" }) throws -> Scene
  {
    let scene = try Scene()
    try scene.receive(
      (0..<users).map { user in
        let status = user % 50 == 0 ? "crashed" : "exited"
        return Scene.native(
          model: models[user % 2], installation: "u\(user)",
          """
          "attributes": {"experiment": "\(arm(user))", "region": "\(region(user))"}, "sessions": \
          [{"id": "s\(user)", "started": "2026-11-\(18 + user / 24 % 3)T09:00:00Z", "status": "\(status)"}]
          """)
      }, attributes: ["experiment", "region"])
    return scene
  }

  private static func compare(_ scene: Scene, split: Double? = nil) throws -> ReleaseComparison {
    var query = ReportQuery()
    query.split = split
    return try HealthReader(store: scene.store, budgets: DefaultBudgets.all)
      .compare(app, base: "experiment=a", head: "experiment=b", query, now: Scene.now)
  }

  @Test("values of each attribute are filtered and compared on their own, and values of two are refused")
  func comparisons() throws {
    // The arm alternates in pairs, so that both models have both arms; the region in fours.
    let scene = try Self.scene(480, arm: { $0 / 2 % 2 == 0 ? "a" : "b" }, region: { $0 / 4 % 2 == 0 ? "DE" : "AT" })
    let reader = HealthReader(store: scene.store, budgets: DefaultBudgets.all)
    func sessions(_ text: String) throws -> Int {
      try reader.report(Self.app, ReportQuery(attribute: AttributeFilter(text)), now: Scene.now).sessions
        .total
    }
    #expect(try sessions("experiment=a") == 240 && sessions("region=DE") == 240 && sessions("region!=DE") == 240)
    let regions = try reader.compare(Self.app, base: "region=AT", head: "region=DE", now: Scene.now)
    #expect(!regions.metrics.isEmpty)
    #expect(throws: ImpossibleComparison.differentAttributes(base: "region=DE", head: "experiment=a")) {
      try reader.compare(Self.app, base: "region=DE", head: "experiment=a", now: Scene.now)
    }
    var scope = try reader.scope(of: Self.app, .init(), now: Scene.now)
    let rows = try reader.breakdown(scope, "sessions.crash_free", .attribute, nil)
    #expect(Set(rows.map(\.key)) == ["experiment=a", "experiment=b", "region=DE", "region=AT"])
    // Beside a filter by one attribute, the values of the other divide its data.
    scope = try reader.scope(
      of: Self.app, ReportQuery(attribute: AttributeFilter("region=DE")), now: Scene.now)
    let narrow = try reader.breakdown(scope, "sessions.crash_free", .attribute, nil)
    #expect(narrow.first { $0.key == "experiment=a" }?.report.n == 120)
  }

  @Test("users that were divided by chance pass the check, with and without a stated split")
  func sound() throws {
    let scene = try Self.scene(480, arm: { $0 / 2 % 2 == 0 ? "a" : "b" })
    let plain = try Self.compare(scene)
    let check = try #require(plain.sampleRatio)
    #expect(check.unit == .users && check.base == 240 && check.head == 240 && !check.isBroken)
    #expect(check.splitPValue == nil && check.classPValue != nil && check.dayPValue != nil)
    #expect(plain.exitStatus != 3 && plain.sentence.hasPrefix("experiment=b against"))
    #expect(try Self.compare(scene, split: 0.5).sampleRatio?.splitPValue == 1)
  }

  @Test("a share other than the stated one, or another one in a device class, is called broken")
  func broken() throws {
    let scene = try Self.scene(480, arm: { $0 / 2 % 3 == 0 ? "a" : "b" })
    let comparison = try Self.compare(scene, split: 0.5)
    #expect(
      comparison.sentence
        == "The assignment is broken: 66.7\u{A0}% of users instead of 50\u{A0}% (p < 0.0001). Do not trust this comparison."
    )
    #expect(comparison.exitStatus == 3)
    #expect(try Self.compare(scene, split: 2.0 / 3).exitStatus != 3)
    // Of one model, three quarters have the arm; of the other, a quarter.
    let classes = try Self.scene(480, arm: { ($0 / 2 % 4 == 0) == ($0 % 2 == 0) ? "a" : "b" })
    let wrong = try Self.compare(classes, split: 0.5)
    #expect(wrong.sampleRatio?.splitPValue == 1)
    #expect(wrong.sentence.contains("the share of users differs between device classes (p < 0.0001)"))
    #expect(wrong.exitStatus == 3)
  }

  @Test("without a stated split, a division that is not by chance is a remark, because it may be a region")
  func regions() throws {
    let classes = try Self.scene(480, arm: { ($0 / 2 % 4 == 0) == ($0 % 2 == 0) ? "a" : "b" })
    let comparison = try Self.compare(classes)
    #expect(comparison.sampleRatio?.isBroken == true && comparison.exitStatus != 3)
    #expect(comparison.sentence.hasPrefix("experiment=b against"))
    let text = String(decoding: ComparisonFormatter.text(comparison, .text), as: UTF8.self)
    #expect(
      text.contains(
        "If users get these values by chance, the assignment is broken: the share of users differs between device classes"
      ))
  }

  @Test("a split is refused for releases")
  func releases() throws {
    let scene = try Self.scene(10, arm: { _ in "a" })
    var query = ReportQuery()
    query.split = 0.5
    #expect(throws: InvalidQuery.self) {
      try HealthReader(store: scene.store, budgets: []).compare(
        Self.app, base: "4.1.0", head: "4.2.0", query, now: Scene.now)
    }
  }
}
