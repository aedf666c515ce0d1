import Analysis
import Core

/// The horizontal scale of a distribution chart. All bars have the same width, whatever range of values they cover.
/// Because buckets grow with their values, this is close to a logarithmic axis, and exact at every labelled edge.
struct DistributionScale {
  struct Slot: Equatable {
    var low: Double
    /// The upper edge; nil if the last bar is open-ended.
    var high: Double?
    /// The index of the bar; nil for a gap between two bars.
    var bar: Int?
  }

  var slots: [Slot]
  var frame: ChartDimensions

  init(_ bars: [DistributionBar], frame: ChartDimensions) {
    self.frame = frame
    slots = []
    for (index, bar) in bars.enumerated() where bar.low.isFinite {
      if let end = slots.last?.high, bar.low > end { slots.append(Slot(low: end, high: bar.low, bar: nil)) }
      slots.append(Slot(low: bar.low, high: bar.high.flatMap { $0.isFinite ? $0 : nil }, bar: index))
    }
  }

  var slotWidth: Double { frame.plotWidth / Double(max(1, slots.count)) }

  func left(_ slot: Int) -> Double { frame.plotLeft + Double(slot) * slotWidth }

  /// The horizontal position of a value, interpolated within its bar; nil outside the drawing.
  func x(_ value: Double) -> Double? {
    for (index, slot) in slots.enumerated() {
      guard let high = slot.high else { return value == slot.low ? left(index) : nil }
      if value >= slot.low, value <= high, high > slot.low {
        return left(index) + (value - slot.low) / (high - slot.low) * slotWidth
      }
    }
    return nil
  }

  /// Round values with their positions, as many as fit side by side: 1, 2 or 5 times a power of ten if at least three
  /// of these fit, else multiples of a round step. `end`: the position that labels must not cross.
  func roundLabels(_ unit: MetricUnit, before end: Double) -> [(x: Double, text: String)] {
    guard let low = slots.first?.low, let high = slots.last.map({ $0.high ?? $0.low }), high > low else { return [] }
    let series = placed(Self.powers(low, high, unit), unit, before: end)
    if series.count >= Self.fewestLabels { return series }
    let factor = DisplayUnit.best(for: high, unit).factor
    let step = Ticks.step(low / factor, high / factor, count: 8) * factor
    return placed(Ticks.multiples(of: step, low, high), unit, before: end)
  }

  private static let fewestLabels = 3

  /// 1, 2 and 5 times the powers of ten of the unit in which the largest value is written.
  private static func powers(_ low: Double, _ high: Double, _ unit: MetricUnit) -> [Double] {
    let factor = DisplayUnit.best(for: high, unit).factor
    var power = factor
    while power <= high { power *= 10 }
    var values: [Double] = []
    // Twelve powers are enough: smaller values are too close to the first edge for a label.
    for _ in 0..<12 {
      values = [1, 2, 5].map { $0 * power }.filter { low <= $0 && $0 <= high } + values
      power /= 10
    }
    return low <= 0 ? [0] + values : values
  }

  private func placed(_ values: [Double], _ unit: MetricUnit, before end: Double) -> [(x: Double, text: String)] {
    var labels: [(x: Double, text: String)] = []
    var taken = -Double.infinity
    for value in values {
      guard let x = x(value) else { continue }
      let text = value == 0 ? "0" : Quantity.limit(value, unit)
      let room = Label.width(text) / 2
      guard x - room > taken, x - room >= 0, x + room <= end else { continue }
      labels.append((x, text))
      taken = x + room + 10
    }
    return labels
  }
}
