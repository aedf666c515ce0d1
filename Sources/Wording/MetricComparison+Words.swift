package import Health
import Telemetry

extension MetricComparison {
  /// The metric and its statistic: `Launch to first draw (p90)`.
  package var plainTitle: String { statistic.map { "\(title) (\($0))" } ?? title }

  /// The difference head minus base as text: `+9.8 %`, `−0.31 points`, `+1.2 s/h`.
  package func change(_ value: Double?) -> String {
    guard let value, value.isFinite else { return Quantity.unknown }
    return Self.signed(value, isRelative ? "%" : symbol, scale: scale)
  }

  /// The interval of the difference as text: `+4.1 to +15.9 %`.
  package var changeInterval: String {
    guard let difference else { return Quantity.unknown }
    let low = Self.signed(difference.low, "", scale: scale)
    return "\(low) to \(change(difference.high))"
  }

  /// The reason for the verdict, unless the verdict's word is enough; `base` and `head`: the names to use for the
  /// releases.
  package func explanation(base: String, head: String) -> String? {
    let parts = [verdictText(base: base, head: head), classText].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Which class of devices is worse where they differ.
  private var classText: String? {
    guard isHeterogeneous else { return nil }
    guard let worst = worseClass else { return "classes of devices differ by more than chance" }
    let low = Self.signed(worst.low, "", scale: scale)
    return "classes of devices differ: worse on \(worst.name), \(change(worst.value)) (\(low) to \(change(worst.high)))"
  }

  private func verdictText(base: String, head: String) -> String? {
    let events = EventNoun.plural(of: name)
    switch (verdict, reason) {
    case (.worse, _) where isSmall, (.better, _) where isSmall: return "by less than \(size(margin))"
    case (.noDifferenceShown, _) where tendency != nil:
      return "likely \(tendency == .worse ? "worse" : "better"), by at most \(size(margin))"
    case (.noDifferenceShown, _): return "at most \(size(margin)) either way"
    case (.notEnoughData, .missing): return "no day on which both releases have it"
    case (.notEnoughData, .few):
      let more = needed.map { "; about \(Decimal.grouped($0)) more of \(head) make one" } ?? ""
      return "too few \(events) for an interval\(more)"
    case (.notEnoughData, .base): return "\(base) has too few \(events); more of \(head) alone will not tell"
    case (.notEnoughData, .coarse): return "the source's buckets are too wide to tell; more \(events) will not help"
    case (.notEnoughData, .close):
      return needed.map { "about \(Decimal.grouped($0)) more \(events) of \(head) until we can tell" }
    default: return nil
    }
  }

  private func size(_ value: Double) -> String {
    isRelative ? Quantity.limit(value, .ratio) : Decimal.significant(value * scale) + "\u{A0}" + symbol
  }

  private var scale: Double { isRelative || unit == .ratio ? 100 : 1 }
  /// The unit of a difference: percentage points for shares, else the metric's unit.
  private var symbol: String { unit == .ratio ? "points" : unit.symbol }

  private static func signed(_ value: Double, _ symbol: String, scale: Double) -> String {
    guard value.isFinite else { return value < 0 ? "−∞" : "∞" }
    let number = Decimal.significant(abs(value) * scale)
    // A number that is rounded to zero has no sign.
    let isZero = !number.utf8.contains { (49...57).contains($0) }
    let sign = isZero ? "" : value < 0 ? "−" : "+"
    return sign + number + (symbol.isEmpty ? "" : "\u{A0}" + symbol)
  }
}
