public import Core
import Statistics
import Storage

/// Whether the users of two compared groups were divided between them as an experiment requires.
public struct SampleRatioCheck: Sendable, Equatable {
  /// What is counted.
  public enum Unit: String, Sendable, CaseIterable {
    /// Different users of the compared days.
    case users
    /// The devices of an average day, from MetricKit's daily payloads, because the data name no users.
    case devices
  }

  public var unit: Unit
  var base: Int
  var head: Int
  /// Whether the numbers are estimates, because there are many users.
  var isEstimate: Bool
  /// The stated share of the head, 0 to 1; nil if none was stated.
  var split: Double?
  /// The p-value of the stated share; nil without one, or with too few users.
  var splitPValue: Double?
  /// The p-value of equal shares in all device classes; nil with too few users.
  var classPValue: Double?
  /// The p-value of equal shares on all days; nil with too few users.
  var dayPValue: Double?

  /// The head's share of the users, 0 to 1.
  var share: Double { SampleRatioMismatch.Part(base: Double(base), head: Double(head)).share }

  /// Whether the division is not one by chance.
  public var isBroken: Bool { broken != nil }

  /// Whether the groups cannot be compared. Without a stated split, the attribute may be one that is not assigned by
  /// chance, such as a region.
  public var preventsComparison: Bool { isBroken && split != nil }

  /// The first test that shows a broken division; nil if none does.
  private var broken: (test: Test, pValue: Double)? {
    let tests: [(Test, Double?)] = [(.split, splitPValue), (.classes, classPValue), (.days, dayPValue)]
    return tests.lazy.compactMap { test, pValue in pValue.map { (test, $0) } }.first {
      $0.1 < SampleRatioMismatch.level
    }
  }

  private enum Test {
    case split
    case classes
    case days
  }

  /// What is wrong, in a sentence or two; nil unless the division is broken.
  public var warning: String? {
    guard let broken else { return nil }
    let what =
      switch broken.test {
      case .split:
        "\(Self.percent(share)) of \(unit.rawValue) instead of \(Self.percent(split ?? 0, isStated: true))"
      case .classes: "the share of \(unit.rawValue) differs between device classes"
      case .days: "the share of \(unit.rawValue) differs between days"
      }
    let bound = broken.pValue < 0.0001 ? "p < 0.0001" : "p = \(Decimal.fixed(broken.pValue, 4))"
    return split == nil
      ? "If users get these values by chance, the assignment is broken: \(what) (\(bound))."
      : "The assignment is broken: \(what) (\(bound)). Do not trust this comparison."
  }

  private static func percent(_ share: Double, isStated: Bool = false) -> String {
    let value = share * 100
    return Decimal.fixed(value, isStated && abs(value - value.rounded()) < 1e-9 ? 0 : 1) + "\u{A0}%"
  }
}

extension SampleRatioCheck.Unit: APIValue {}

extension SampleRatioCheck: APIObject {
  public static let fields = Fields<Self>(
    "SampleRatio", "Whether users were divided between the two groups by chance. The division is broken if p < 0.001."
  ) {
    Field(
      "unit", \.unit,
      "What is counted: different `users`, or the `devices` of an average day if the data name no users.")
    Field("base", \.base)
    Field("head", \.head)
    Field("estimate", \.isEstimate, "Whether the numbers are estimates.")
    Field("share", \.share, "The head's share, 0 to 1.")
    Field("split", \.split, "The stated share; null if none was stated.")
    Field("split_p_value", \.splitPValue, "Null without a stated share, or with too few users.")
    Field("class_p_value", \.classPValue, "For equal shares in all device classes; null with too few users.")
    Field("day_p_value", \.dayPValue, "For equal shares on all days; null with too few users.")
    Field("broken", \.isBroken)
  }
}

extension HealthReader {
  /// Checks how the users of two groups were divided; nil if the data name neither users nor devices.
  ///
  /// - Parameters:
  ///   - base: the scope of one group.
  ///   - head: the scope of the other group on the same days.
  ///   - split: the share of the head that was intended, 0 to 1.
  func sampleRatio(base: Scope, head: Scope, split: Double?) throws -> SampleRatioCheck? {
    if let users = try users(base, head, split: split) { return users }
    return try devices(base, head, split: split)
  }

  private func users(_ base: Scope, _ head: Scope, split: Double?) throws -> SampleRatioCheck? {
    func read(_ scope: Scope, _ dimension: Dimension?) throws -> [Series] {
      try set(scope, metrics: ["users"], dimension: dimension, leavesOutTotals: true).series
    }
    let whole = (base: try read(base, nil), head: try read(head, nil))
    guard let source = Self.commonSource(whole.base, whole.head) else { return nil }
    let days = (UserDays(whole.base, source), UserDays(whole.head, source))
    let classes = (try read(base, .deviceClass), try read(head, .deviceClass))
    let all = UserDays.part(days.0, days.1, base.window)
    let names = Set((classes.0 + classes.1).map(\.member)).sorted()
    let parts = names.map { name in
      UserDays.part(
        UserDays(classes.0.filter { $0.member == name }, source),
        UserDays(classes.1.filter { $0.member == name }, source), base.window)
    }
    let blocks = UserDays.blocks(days.0, days.1)
    return SampleRatioCheck(.users, all, classes: parts, days: blocks, split: split)
  }

  /// MetricKit sends one payload of each device and day. A device that sends on every day counts as one, others as less,
  /// so the numbers vary by no more than chance would have them.
  private func devices(_ base: Scope, _ head: Scope, split: Double?) throws -> SampleRatioCheck? {
    func read(_ scope: Scope) throws -> [Series] {
      try set(scope, metrics: ["payloads"], dimension: .deviceClass).series.filter { $0.source == .metricKit }
    }
    let (ours, theirs) = (try read(base), try read(head))
    guard !ours.isEmpty, !theirs.isEmpty else { return nil }
    let used = Double(Set((ours + theirs).flatMap(\.allDays)).count)
    func part(_ name: String?, _ days: Window, _ count: Double) -> SampleRatioMismatch.Part {
      func sum(_ series: [Series]) -> Double {
        series.filter { name == nil || $0.member == name }.reduce(0) { $0 + $1.payloads(in: days) }
      }
      return SampleRatioMismatch.Part(base: sum(ours) / count, head: sum(theirs) / count)
    }
    let names = Set((ours + theirs).map(\.member)).sorted()
    return SampleRatioCheck(
      .devices, part(nil, base.window, used), classes: names.map { part($0, base.window, used) },
      days: Self.parts((ours + theirs).flatMap(\.allDays), 2).map { part(nil, $0, Double($0.days)) }, split: split)
  }

  /// The source from which both sides have the most users.
  private static func commonSource(_ base: [Series], _ head: [Series]) -> Source? {
    let both = Set(base.map(\.source)).intersection(head.map(\.source))
    func weight(_ source: Source) -> Int64 {
      (base + head).filter { $0.source == source }.reduce(0) { $0.saturatingAdd($1.weight) }
    }
    return both.max { (weight($0), $1.rawValue) < (weight($1), $0.rawValue) }
  }

  /// The days from the first to the last of some days, in at most `count` parts of equal length; the last may be
  /// shorter.
  fileprivate static func parts(_ days: [CalendarDay], _ count: Int) -> [Window] {
    guard let first = days.min(), let last = days.max() else { return [] }
    let all = Window(from: first, to: last)
    let length = max(1, (all.days + count - 1) / count)
    return stride(from: 0, to: all.days, by: length).map { start in
      Window(from: first + start, to: min(last, first + (start + length - 1)))
    }
  }
}

extension SampleRatioCheck {
  fileprivate init?(
    _ unit: Unit, _ all: SampleRatioMismatch.Part, classes: [SampleRatioMismatch.Part],
    days: [SampleRatioMismatch.Part], split: Double?
  ) {
    guard all.total > 0 else { return nil }
    self.init(
      unit: unit, base: Int(clamping: Int64(all.base.rounded())), head: Int(clamping: Int64(all.head.rounded())),
      isEstimate: all.baseError + all.headError > 0, split: split,
      splitPValue: split.flatMap { SampleRatioMismatch.pValue(of: all, split: $0) },
      classPValue: SampleRatioMismatch.pValue(ofEqualShares: classes),
      dayPValue: SampleRatioMismatch.pValue(ofEqualShares: days))
  }
}

/// The users of one side on each day.
private struct UserDays {
  private var sets: [(day: CalendarDay, users: UserSet)] = []

  init(_ series: [Series], _ source: Source) {
    for one in series where one.source == source {
      one.forEachDay { day, aggregate in
        if case .users(let tally) = aggregate { sets.append((day, tally.all)) }
      }
    }
  }

  private func union(_ window: Window) -> UserUnion {
    sets.reduce(into: UserUnion()) { union, one in
      if one.day >= window.from, one.day <= window.to { union.add(one.users) }
    }
  }

  /// The different users of both sides in a window.
  static func part(_ base: UserDays, _ head: UserDays, _ window: Window) -> SampleRatioMismatch.Part {
    let (ours, theirs) = (base.union(window), head.union(window))
    func square(_ error: Double) -> Double { error * error }
    return SampleRatioMismatch.Part(
      base: Double(ours.estimate), head: Double(theirs.estimate), baseError: square(ours.relativeError),
      headError: square(theirs.relativeError))
  }

  /// The users of both sides in each block of days, each counted in the first block. If their number is only estimated,
  /// they are counted in each half of the window. Users of both halves make their shares more alike, never less, so the
  /// test finds less. With more than two parts, they could also make them less alike.
  static func blocks(_ base: UserDays, _ head: UserDays) -> [SampleRatioMismatch.Part] {
    let days = (base.sets + head.sets).map(\.day)
    let blocks = HealthReader.parts(days, 8)
    let growing = blocks.map { part(base, head, Window(from: blocks[0].from, to: $0.to)) }
    guard growing.allSatisfy({ $0.baseError + $0.headError == 0 }) else {
      return HealthReader.parts(days, 2).map { part(base, head, $0) }
    }
    return growing.indices.map { index in
      let before = index > 0 ? growing[index - 1] : SampleRatioMismatch.Part(base: 0, head: 0)
      return SampleRatioMismatch.Part(base: growing[index].base - before.base, head: growing[index].head - before.head)
    }
  }
}

extension Series {
  /// The payloads of a counter in a window.
  fileprivate func payloads(in window: Window) -> Double {
    var sum = 0.0
    forEachDay { day, aggregate in
      guard day >= window.from, day <= window.to, case .counter(let counter) = aggregate else { return }
      sum += Double(counter.payloads)
    }
    return sum
  }
}
