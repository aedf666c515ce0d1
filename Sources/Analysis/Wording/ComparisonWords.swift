import Core

extension ComparisonVerdict {
  /// The verdict in words.
  var word: String {
    switch self {
    case .better: "better"
    case .worse: "worse"
    case .noDifferenceShown: "no difference shown"
    case .notEnoughData: "not enough data"
    }
  }
}

extension ReleaseComparison {
  /// The result of a comparison in one line, or why it cannot be trusted: `4.2.0 is worse than 4.1.0 in 1 of 12 metrics: launch to first draw
  /// (p90).`
  var sentence: String {
    if let sampleRatio, sampleRatio.preventsComparison, let warning = sampleRatio.warning { return warning }
    let sentence = metrics.sentence("\(head) against \(base)")
    return sentence + (metrics.isEmpty ? "" : rampingUp.map { " \($0.sentence(head))" } ?? "")
  }
}

extension [MetricComparison] {
  /// What differs between two sides. `pair`: their names.
  func sentence(_ pair: String) -> String {
    let worse = filter { $0.verdict == .worse }
    let better = filter { $0.verdict == .better }
    let same = count { $0.verdict == .noDifferenceShown }
    let unsure = count { $0.verdict == .notEnoughData }
    if isEmpty { return "\(pair): there is nothing to compare." }
    var parts: [String] = []
    if !worse.isEmpty { parts.append("worse in \(Self.list(worse))") }
    if !better.isEmpty { parts.append("better in \(Self.list(better))") }
    let mixed = filter { $0.worseClass != nil && $0.verdict != .worse }
    if !mixed.isEmpty { parts.append("worse on a device class in \(Self.list(mixed))") }
    if same > 0 { parts.append("no difference shown in \(same)") }
    if unsure > 0 { parts.append("not enough data in \(unsure)") }
    return "\(pair): \(parts.joined(separator: "; "))."
  }

  private static func list(_ metrics: [MetricComparison]) -> String {
    let shown = metrics.prefix(4).map(\.plainTitle).joined(separator: ", ")
    return metrics.count > 4 ? "\(shown) and \(metrics.count - 4) more" : shown
  }
}

extension RampingUp {
  /// What to know when a release is compared during its rollout.
  package func sentence(_ head: String) -> String {
    "\(head) is on day \(day) of its rollout; to ask repeatedly, use plumb rollout."
  }
}

extension MetricComparison {
  /// The metric and its statistic: `Launch to first draw (p90)`.
  package var plainTitle: String { statistic.map { "\(title) (\($0))" } ?? title }

  /// The difference, head minus base, as text: `+9.8 %`, `−0.31 points`, `+1.2 s/h`. Its interval decides the number of
  /// decimals.
  package func change(_ value: Double?) -> String {
    signed(value, difference?.value, difference?.low, difference?.high)
  }

  /// The interval of the difference as text: `+4.1 to +15.9 %`.
  package var changeInterval: String {
    guard let difference else { return Quantity.unknown }
    return range(difference.value, difference.low, difference.high)
  }

  /// The reason for the verdict; nil if the verdict's word is enough. `base` and `head`: the names of the two sides.
  package func explanation(base: String, head: String) -> String? {
    let parts = [verdictText(base: base, head: head), classText].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// The largest difference that counts as no difference: `10 %`, `0.25 points`.
  package var marginText: String { size(margin) }

  /// Why the difference over all devices disagrees with the difference within device classes and days; nil if they
  /// agree. `base` and `head`: the names of the releases.
  package func mixExplanation(base: String, head: String) -> String? {
    guard isMixed, let difference, change(rawDifference) != change(difference.value) else { return nil }
    let together = "all devices together show \(change(rawDifference))"
    let alike = "with the same mix of devices and days it is \(change(difference.value))"
    guard let shift = mixShift else { return "\(together), because the two were used on different days; \(alike)" }
    func share(_ value: Double) -> String { Decimal.fixed(value * 100, 0) + "\u{A0}%" }
    let events = EventNoun.plural(of: name)
    return "\(together), because the mix differs (\(shift.name) has \(share(shift.base)) of the \(events) of \(base) "
      + "and \(share(shift.head)) of those of \(head)); \(alike)"
  }

  /// The device class with the worst difference; nil if device classes do not differ by more than chance.
  private var classText: String? {
    guard isHeterogeneous else { return nil }
    guard let worst = worseClass else { return "device classes differ by more than chance" }
    let value = signed(worst.value, worst.value, worst.low, worst.high)
    return "device classes differ: worse on \(worst.name), \(value) (\(range(worst.value, worst.low, worst.high)))"
  }

  private func verdictText(base: String, head: String) -> String? {
    let events = EventNoun.plural(of: name)
    switch (verdict, reason) {
    case (.worse, _) where isSmall, (.better, _) where isSmall: return "by less than \(size(margin))"
    case (.noDifferenceShown, _) where tendency != nil:
      return "likely \(tendency == .worse ? "worse" : "better"), by at most \(size(margin))"
    case (.noDifferenceShown, _): return "at most \(size(margin)) either way"
    case (.notEnoughData, .missing): return "no day with data from both"
    case (.notEnoughData, .few):
      let more = needed.map { "; about \(Decimal.grouped($0)) more of \(head) needed" } ?? ""
      return "too few \(events) for an interval\(more)"
    case (.notEnoughData, .base): return "\(base) has too few \(events); more of \(head) alone will not help"
    case (.notEnoughData, .coarse): return "the source's buckets are too wide; more \(events) will not help"
    case (.notEnoughData, .age):
      return "worse, but many phones had just updated to \(head), and the first days of \(base) are not known"
    case (.notEnoughData, .updated): return "worse, but no worse than \(base) was right after its own update"
    case (.notEnoughData, .close):
      return needed.map { "about \(Decimal.grouped($0)) more \(events) of \(head) needed" }
    default: return nil
    }
  }

  private func size(_ value: Double) -> String {
    isRelative ? Quantity.limit(value, .ratio) : Decimal.significant(value * scale) + "\u{A0}" + symbol
  }

  private var scale: Double { isRelative || unit == .ratio ? 100 : 1 }
  /// The unit of a difference: percentage points for shares, otherwise the metric's unit.
  private var symbol: String { unit == .ratio ? "points" : unit.symbol }

  /// An interval of differences: `+4.1 to +15.9 %`.
  private func range(_ value: Double, _ low: Double, _ high: Double) -> String {
    signed(low, value, low, high, symbol: "") + " to " + signed(high, value, low, high)
  }

  /// A difference with the same unit and decimals as `value` and its interval.
  private func signed(
    _ number: Double?, _ value: Double?, _ low: Double?, _ high: Double?, symbol: String? = nil
  ) -> String {
    guard let number, !number.isNaN else { return Quantity.unknown }
    func scaled(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 * scale : nil } }
    // A difference may be close to 0, so with an interval its size does not decide the decimals.
    let ends = (scaled(low), scaled(high))
    let isBounded = ends.0 != nil && ends.1 != nil
    let decimals = Precision.decimals(isBounded ? nil : scaled(value ?? number), ends.0, ends.1, steps: 10)
    return Self.signed(number * scale, decimals, symbol ?? (isRelative ? "%" : self.symbol))
  }

  private static func signed(_ value: Double, _ decimals: Int, _ symbol: String) -> String {
    guard value.isFinite else { return value < 0 ? "−∞" : "∞" }
    let number = Decimal.fixed(abs(value), decimals)
    // A number that is rounded to zero has no sign.
    let isZero = !number.utf8.contains { (49...57).contains($0) }
    let sign = isZero ? "" : value < 0 ? "−" : "+"
    return sign + number + (symbol.isEmpty ? "" : "\u{A0}" + symbol)
  }
}
