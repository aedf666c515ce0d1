import Health

/// The horizontal scale of a distribution chart. All bars have the same width, whatever range of values they cover.
/// Because buckets grow with the values, this is close to a logarithmic axis, and exact at every labelled edge.
struct BarScale {
  struct Slot: Equatable {
    var low: Double
    /// The upper edge; nil for the last bar, which has no end.
    var high: Double?
    /// The index of the bar; nil for a gap between two bars.
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

  /// The bar edges to label: every k-th, so that labels are at least `distance` apart.
  func labelledEdges(distance: Double) -> [(x: Double, value: Double)] {
    let stride = max(1, Int((distance / max(slotWidth, 0.001)).rounded(.up)))
    var edges = slots.enumerated().map { (x: left($0.offset), value: $0.element.low) }
    if let end = slots.last?.high { edges.append((x: frame.plotRight, value: end)) }
    return edges.enumerated().filter { $0.offset.isMultiple(of: stride) }.map(\.element)
  }
}
