import Health

/// Where the bars of a distribution stand: side by side, each as wide as the next, whatever span of values it covers.
/// Buckets grow with the values, so this is close to a logarithmic axis, and exact at every edge it labels.
struct BarScale {
  struct Slot: Equatable {
    var low: Double
    /// Nil for the last bar without an upper end.
    var high: Double?
    /// Nil for the values between two bars, where nothing was measured.
    var bar: Int?
  }

  var slots: [Slot]
  var frame: ChartFrame

  init(_ bars: [DistributionBar], frame: ChartFrame) {
    self.frame = frame
    slots = []
    for (index, bar) in bars.enumerated() where bar.low.isFinite {
      if let end = slots.last?.high, bar.low > end { slots.append(Slot(low: end, high: bar.low, bar: nil)) }
      slots.append(Slot(low: bar.low, high: bar.high.flatMap { $0.isFinite ? $0 : nil }, bar: index))
    }
  }

  var slotWidth: Double { frame.plotWidth / Double(max(1, slots.count)) }

  func left(_ slot: Int) -> Double { frame.plotLeft + Double(slot) * slotWidth }

  /// The place of a value, inside its slot in proportion; nil where the drawing does not reach.
  func x(_ value: Double) -> Double? {
    for (index, slot) in slots.enumerated() {
      guard let high = slot.high else { return value == slot.low ? left(index) : nil }
      if value >= slot.low, value <= high, high > slot.low {
        return left(index) + (value - slot.low) / (high - slot.low) * slotWidth
      }
    }
    return nil
  }

  /// The edges that get a label: every k-th, so that labels are at least `distance` apart.
  func labelledEdges(distance: Double) -> [(x: Double, value: Double)] {
    let stride = max(1, Int((distance / max(slotWidth, 0.001)).rounded(.up)))
    var edges = slots.enumerated().map { (x: left($0.offset), value: $0.element.low) }
    if let end = slots.last?.high { edges.append((x: frame.plotRight, value: end)) }
    return edges.enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
  }
}
