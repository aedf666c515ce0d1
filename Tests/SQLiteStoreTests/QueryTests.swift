import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Rows against sums of the raw measurements they came from.
struct QueryTests {
  /// One reading as it was sent.
  private struct Sent {
    var environment: String
    var version: String
    var build: String
    var os: String
    var model: String
    var label: String
    var arm = ""
    var region = ""
    var day: Int
    var value: Int
  }

  private static let today = Scene.today.number

  private static func sent(seed: UInt64, _ count: Int, days: Int) -> [Sent] {
    var random = SeededRandom(seed: seed)
    func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
    return (0..<count).map { _ in
      Sent(
        environment: pick(["production", "testflight"]), version: pick(["4.2.0", "4.3.0"]),
        build: pick(["", "7", "8"]),
        os: pick(["17.4.1", "18.0"]), model: pick(["iPhone15,2", "iPhone12,1", "iPad13,4"]),
        label: pick(["", "Cart", "Home"]), arm: pick(["", "a", "b", "c"]), region: pick(["", "x", "y"]),
        day: today - Int.random(in: 0..<days, using: &random),
        value: Int.random(in: 0..<5000, using: &random))
    }
  }

  private static func record(_ sent: Sent) -> [UInt8] {
    var report = Scene.report(
      [
        Measurement(
          .known(205), label: sent.label, at: .instant(CalendarDay(number: sent.day).startUTC),
          .samples([Double(sent.value)]))
      ], environment: sent.environment, version: sent.version, build: sent.build, os: sent.os, model: sent.model)
    report.attributes = attributes(sent)
    return Scene.record(report)
  }

  private static func attributes(_ sent: Sent) -> [AppAttribute] {
    [("experiment", sent.arm), ("region", sent.region)].compactMap { AppAttribute(name: $0, value: $1) }
  }

  private static func kind(_ model: String) -> String { DeviceClass.of(model: model).name }

  private static func holds(_ slice: Slice, _ window: Window, _ sent: Sent) -> Bool {
    let release = sent.build.isEmpty ? sent.version : "\(sent.version) (\(sent.build))"
    return sent.environment == slice.environment && (window.from.number...window.to.number).contains(sent.day)
      && (slice.release == nil || slice.release == sent.version || slice.release == release)
      && (slice.os == nil || slice.os == "iOS \(sent.os)") && (slice.device == nil || slice.device == sent.model)
      && (slice.deviceClass == nil || slice.deviceClass == kind(sent.model))
      && (slice.label == nil || slice.label == sent.label)
      && slice.attribute.map { filter in
        attributes(sent).first { $0.name == filter.name }.map { ($0.value == filter.value) != filter.isExcluding }
          ?? false
      } ?? true
  }

  /// Every combination of filters.
  private static func slices() -> [Slice] {
    var slices: [Slice] = []
    for release in [nil, "4.2.0", "4.2.0 (7)", "9.9"] {
      for os in [nil, "iOS 18.0"] {
        for device in [nil, "iPhone12,1"] {
          for kind in [nil, kind("iPhone15,2")] {
            for label in [nil, "Cart"] {
              for arm in [nil, "experiment=a", "experiment!=a", "region!=x"] {
                slices.append(
                  Slice(
                    release: release, os: os, device: device, deviceClass: kind, label: label,
                    attribute: arm.flatMap { AttributeFilter($0) }))
              }
            }
          }
        }
      }
    }
    return slices + [Slice(environment: "testflight"), Slice(environment: "testflight", os: "iOS 18.0", label: "Home")]
  }

  @Test("every combination of filters gives the sums of its measurements, in any batches")
  func filters() throws {
    let sent = Self.sent(seed: 3, 400, days: 30)
    let scene = try Scene()
    for start in stride(from: 0, to: 400, by: 57) {
      try scene.apply(sent[start..<min(400, start + 57)].map(Self.record))
    }
    for slice in Self.slices() {
      for window in [Window(days: 30, endingOn: Scene.today), Window(days: 3, endingOn: Scene.today - 2)] {
        let rows = try scene.rows(slice, window, metrics: ["screen.load"])
        let own = sent.filter { Self.holds(slice, window, $0) }
        #expect(rows.samples == own.count, "\(slice)")
        #expect(rows.steps == own.reduce(0) { $0 + Int64($1.value) * 1000 }, "\(slice)")
        #expect(rows.clusters == own.count, "\(slice)")
      }
    }
  }

  @Test("a dimension and labels divide the same measurements without loss or duplicates")
  func parts() throws {
    let sent = Self.sent(seed: 4, 300, days: 20)
    let scene = try Scene()
    try scene.apply(sent.map(Self.record))
    let all = Window(days: 28, endingOn: Scene.today)
    let region = Slice(attribute: AttributeFilter("region=x"))
    for slice in [Slice(), Slice(os: "iOS 18.0"), Slice(release: "4.3.0"), region] {
      let own = sent.filter { Self.holds(slice, all, $0) }
      for dimension in Storage.Dimension.allCases {
        let rows = try scene.rows(slice, all, metrics: ["screen.load"], dimension: dimension)
        let found = Dictionary(grouping: rows, by: \.member).mapValues(\.samples)
        let truth = Dictionary(grouping: own.filter { dimension != .attribute || !$0.arm.isEmpty }) { sent -> String in
          switch dimension {
          case .release: sent.build.isEmpty ? sent.version : "\(sent.version) (\(sent.build))"
          case .os: "iOS \(sent.os)"
          case .device: sent.model
          case .deviceClass: Self.kind(sent.model)
          case .attribute: sent.arm
          case .combination:
            CombinedMember(
              os: "iOS \(sent.os)", device: sent.model, release: Release(version: sent.version, build: sent.build),
              attributes: Self.attributes(sent)
            ).text
          }
        }.mapValues(\.count)
        #expect(found == truth)
      }
      let regions = try scene.rows(slice, all, metrics: ["screen.load"], dimension: .attribute, attribute: "region")
      let sums = Dictionary(grouping: own.filter { !$0.region.isEmpty }, by: \.region).mapValues(\.count)
      #expect(Dictionary(grouping: regions, by: \.member).mapValues(\.samples) == sums)
      let labels = try scene.rows(slice, all, metrics: ["screen.load"], byLabel: true)
      let truth = Dictionary(grouping: own.filter { !$0.label.isEmpty }, by: \.label).mapValues(\.count)
      #expect(Dictionary(grouping: labels, by: \.label).mapValues(\.samples) == truth)
    }
  }

  @Test("compaction changes no number of a whole day, in any slice, even if repeated")
  func compaction() throws {
    let sent = Self.sent(seed: 5, 300, days: 30)
    let scene = try Scene()
    try scene.apply(sent.map(Self.record))
    let slices = Self.slices().filter { $0.label == nil }
    func days(_ slice: Slice) throws -> [CalendarDay: Aggregate] {
      try scene.rows(slice, Window(days: 30, endingOn: Scene.today), metrics: ["screen.load"]).reduce(into: [:]) {
        $0[$1.bin.day, default: .distribution(Histogram(scheme: .logarithmic))].merge($1.aggregate)
      }
    }
    let before = try slices.map(days)
    for later in [0, 4, 10, 34] {
      try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + Int64(later) * 86_400_000))
      #expect(try slices.map(days) == before, "\(later) days later")
    }
    let rows = try scene.rows(Slice(), Window(days: 30, endingOn: Scene.today), metrics: ["screen.load"])
    #expect(!rows.contains { $0.bin.resolution == .fiveMinutes })
  }

  @Test("rows are deleted by the day of their last receipt: cells after 35 days, marginals after 400")
  func retention() throws {
    let scene = try Scene()
    try scene.apply(Self.sent(seed: 6, 20, days: 1).map(Self.record))
    func compact(_ days: Int64) throws {
      try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + days * 86_400_000))
    }
    let cells = Slice(release: "4.2.0", os: "iOS 18.0")
    try compact(35)
    #expect(try scene.rows(cells).samples > 0)
    try compact(36)
    #expect(try scene.rows(cells).samples == 0)
    try compact(400)
    #expect(try scene.rows().samples > 0)
    try compact(401)
    #expect(try scene.rows().samples == 0)
  }

  @Test("a query for cells beyond 35 days is refused with the oldest possible day, and marginals work")
  func tooOld() throws {
    let scene = try Scene()
    try scene.apply([
      Self.record(
        Sent(
          environment: "production", version: "4.2.0", build: "", os: "18.0", model: "iPhone15,2", label: "Cart",
          day: Self.today, value: 1))
    ])
    let long = Window(days: 36, endingOn: Scene.today)
    // Before the first day there is nothing that could be missing.
    #expect(try scene.rows(Slice(release: "4.2.0", os: "iOS 18.0"), long, metrics: ["screen.load"]).samples == 1)
    try scene.apply([
      Self.record(
        Sent(
          environment: "production", version: "4.1.0", build: "", os: "17.0", model: "iPhone12,1", label: "",
          day: Self.today - 40, value: 1))
    ])
    let cells = Slice(release: "4.2.0", os: "iOS 18.0")
    #expect(throws: StoreError.windowTooOld(oldest: Scene.today - 34)) { try scene.rows(cells, long) }
    #expect(throws: StoreError.windowTooOld(oldest: Scene.today - 34)) {
      try scene.rows(Slice(os: "iOS 18.0", label: "Cart"), long)
    }
    #expect(try scene.rows(cells, Window(days: 35, endingOn: Scene.today), metrics: ["screen.load"]).samples == 1)
    for slice in [
      Slice(), Slice(release: "4.2.0"), Slice(os: "iOS 18.0"), Slice(device: "iPhone15,2"), Slice(label: "Cart"),
    ] {
      #expect(try scene.rows(slice, long, metrics: ["screen.load"]).samples >= 1)
    }
    let kind = Self.kind("iPhone15,2")
    #expect(try scene.rows(Slice(release: "4.2.0", deviceClass: kind), long, metrics: ["screen.load"]).samples == 1)
  }

  @Test("an app has its environments, its releases with their days, and its last receipt")
  func inventory() throws {
    let scene = try Scene()
    let sent = Self.sent(seed: 8, 100, days: 30)
    try scene.apply(sent.map(Self.record))
    let inventory = try scene.store.inventory(of: 1)
    for environment in ["production", "testflight"] {
      let own = sent.filter { $0.environment == environment }
      #expect(inventory.environments[environment]?.number == own.map(\.day).max())
      for known in inventory.releases where known.environment == environment {
        let days = own.filter { $0.version == known.release.version && $0.build == known.release.build }.map(\.day)
        #expect(known.firstDay.number == days.min())
        #expect(known.lastDay.number == days.max())
      }
    }
    #expect(Set(inventory.releases.map(\.release)).count == 6)
    #expect(inventory.lastReceived == Scene.now)
    #expect(inventory.digestedThrough == 100)
    #expect(try scene.store.inventory(of: 2).environments.isEmpty)
  }
}

extension Array where Element == MetricRow {
  /// Payloads in all rows.
  var clusters: Int {
    reduce(0) { sum, row in
      if case .distribution(let histogram) = row.aggregate { sum + histogram.moments.clusters } else { sum }
    }
  }
}
