import GRDB
import TestSupport
import Testing

@testable import Core
@testable import Ingest
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Everything that changes rows of numbers, in random order: what is read is what a dictionary holds that the test keeps.
@Suite("Rows of numbers")
struct RowTableTests {
  /// Of what a value is.
  private struct Point: Hashable {
    var version: String
    var model: String
    var metric: String
    var label: String
    var day: CalendarDay
  }

  private static let versions = ["4.0", "4.1", "4.2"]
  private static let models = ["iPhone15,2", "iPhone14,5", "iPad13,4"]
  private static let metrics = ["first", "second"]
  private static let labels = ["", "", "Cart", "Home"]

  private var scene: Scene
  private var random: SeededRandom
  private var clock = Timestamp(milliseconds: Scene.now.milliseconds - 50 * 86_400_000)
  private var values: [Point: Int] = [:]

  init() throws {
    scene = try Scene()
    random = SeededRandom(seed: 0)
  }

  @Test("rows of numbers have the sent values after writes, compactions, deletions and a move", arguments: 1...4)
  func changes(seed: Int) throws {
    var test = self
    try test.run(SeededRandom(seed: UInt64(seed)))
  }

  private mutating func run(_ seed: SeededRandom) throws {
    random = seed
    for step in 0..<40 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: try compact(daysLater: 1)
      case 1: try compact(daysLater: Int.random(in: 3...9, using: &random))
      case 2 where step > 10: try erase()
      default: try write()
      }
      if step % 8 == 7 { try compare("step \(step)") }
      // In a snapshot, the days that did not change are known from the previous one.
      if step % 2 == 1 { try scene.store.snapshot { try compare("a snapshot after step \(step)") } }
    }
    try compact(daysLater: 1)
    try compare("the end")
    try move()
    try compare("the way back")
  }

  // MARK: Changes

  private mutating func write() throws {
    clock = Timestamp(milliseconds: clock.milliseconds + Int64.random(in: 0...40_000_000, using: &random))
    let records = (0..<Int.random(in: 1...12, using: &random)).map { _ in
      let age = Int64.random(in: 0...([3, 40, 60].randomElement(using: &random) ?? 0), using: &random)
      let time = Timestamp(milliseconds: clock.milliseconds - age * 86_400_000)
      let point = Point(
        version: Self.versions.randomElement(using: &random) ?? "",
        model: Self.models.randomElement(using: &random) ?? "",
        metric: Self.metrics.randomElement(using: &random) ?? "",
        label: Self.labels.randomElement(using: &random) ?? "", day: time.day())
      let samples = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        Double.random(in: 1...1000, using: &random)
      }
      values[point, default: 0] += samples.count
      let measurement = Measurement(
        .custom(name: point.metric, unit: .milliseconds, kind: .distribution), label: point.label,
        at: Bool.random(using: &random) ? .day(point.day) : .instant(time), .samples(samples))
      return Scene.record(
        Scene.report([measurement], version: point.version, model: point.model), received: clock)
    }
    try scene.apply(records)
  }

  private mutating func compact(daysLater days: Int) throws {
    clock = Timestamp(milliseconds: clock.milliseconds + Int64(days) * 86_400_000)
    try scene.store.compact(now: clock)
  }

  private mutating func erase() throws {
    let day = clock.day() - Int.random(in: 0...50, using: &random)
    let version = Self.versions.randomElement(using: &random) ?? ""
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      if try isErased(.metric(Self.metrics[1])) { values = values.filter { $0.key.metric != Self.metrics[1] } }
    case 1:
      if try isErased(.release(version)) { values = values.filter { $0.key.version != version } }
    default:
      if try isErased(.days(Window(from: day, to: day + 1))) {
        values = values.filter { !(day...day + 1).contains($0.key.day) }
      }
    }
  }

  /// False if it was refused, because the store cannot tell the rest without a journal.
  private func isErased(_ scope: ErasureScope) throws -> Bool {
    do {
      _ = try scene.store.erase(scope, of: 1, replay: JournalReplay(forEach: { _, _ in }))
      return true
    } catch is ErasureRefused {
      return false
    }
  }

  /// Takes all rows out of their tables, as a move to other servers does, and writes them again.
  private func move() throws {
    let values = values
    try scene.store.write { database, registry in
      let tables = RowTables(database)
      var (cells, rollups) = (RowBatch(.cells), RowBatch(.rollups))
      var sums: [CalendarDay: Int] = [:]
      var count = 0
      func take(_ key: RowKey, _ sum: Aggregate, received: Int) throws {
        let kind = try registry.storedKey(of: key.slice, in: database).kind
        if kind == .cell { cells.add(sum, to: key, received: received) }
        if kind != .cell { rollups.add(sum, to: key, received: received) }
        count += 1
        guard kind == .all, key.label == 0, key.metric >= StoredMetric.firstCustom else { return }
        if case .distribution(let histogram) = sum { sums[key.bin.day, default: 0] += histogram.count }
      }
      while try tables.drain(atMost: 500, take) > 0 {}
      #expect(count > 0)
      #expect(sums == Self.sums(values) { $0.day })
      #expect(try !tables.hasRows())
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM daily") == 0)
      for batch in [cells, rollups] { #expect(try batch.merge(into: database).isEmpty) }
      try tables.fillDaySums()
    }
  }

  // MARK: What is read

  private static func sums<Key: Hashable>(_ values: [Point: Int], by key: (Point) -> Key) -> [Key: Int] {
    values.reduce(into: [:]) { $0[key($1.key), default: 0] += $1.value }
  }

  private struct Name: Hashable {
    var member = ""
    var label = ""
    var metric: String
    var day: CalendarDay
  }

  private func compare(_ when: String) throws {
    let last = values.keys.map(\.day).max() ?? clock.day()
    let window = Window(from: last - 120, to: last)
    for bins in [RowQuery.Bins.days, .finest] {
      try compare(window, bins, Slice(), when: when) { Name(metric: $0.metric, day: $0.day) }
      try compare(window, bins, Slice(), .release, when: when) {
        Name(member: $0.version, metric: $0.metric, day: $0.day)
      }
      try compare(window, bins, Slice(), .device, when: when) { Name(member: $0.model, metric: $0.metric, day: $0.day) }
      try compare(window, bins, Slice(release: Self.versions[0]), .deviceClass, when: when) {
        $0.version == Self.versions[0]
          ? Name(member: DeviceClass.of(model: $0.model).name, metric: $0.metric, day: $0.day) : nil
      }
      try compare(window, bins, Slice(), byLabel: true, when: when) {
        $0.label.isEmpty ? nil : Name(label: $0.label, metric: $0.metric, day: $0.day)
      }
      // Rows of cells are complete for 35 days.
      let fine = Window(from: max(last, clock.day()) - 34, to: max(last, clock.day()))
      try compare(fine, bins, Slice(os: "iOS 17.4.1", device: Self.models[0]), .release, when: when) {
        $0.model == Self.models[0] && $0.day >= fine.from
          ? Name(member: $0.version, metric: $0.metric, day: $0.day) : nil
      }
    }
  }

  private func compare(
    _ window: Window, _ bins: RowQuery.Bins, _ slice: Slice, _ dimension: Dimension? = nil, byLabel: Bool = false,
    when: String, _ name: (Point) -> Name?
  ) throws {
    let query = RowQuery(
      app: 1, slice: slice, window: window, metrics: Self.metrics, dimension: dimension, byLabel: byLabel, bins: bins)
    let found = try scene.store.rows(query).reduce(into: [Name: Int]()) { found, row in
      guard case .distribution(let histogram) = row.aggregate else { return }
      found[
        Name(member: row.member, label: row.label, metric: row.metric.name, day: row.bin.day), default: 0
      ] += histogram.count
    }
    var expected: [Name: Int] = [:]
    for (point, count) in values { if let name = name(point) { expected[name, default: 0] += count } }
    #expect(found == expected, "\(when): \(slice), by \(dimension?.rawValue ?? (byLabel ? "label" : "nothing"))")
  }
}
