import Analysis
import Core

/// The vertical axis of a chart: its range and its labelled ticks.
struct ValueAxis {
  var lower: Double
  var upper: Double
  var step: Double
  /// The unit of the labels, in which the steps are round: an axis in minutes has steps of 1, 2 or 5 minutes.
  let reading: DisplayUnit
  /// Whether the budget's limit is within the range. A limit far above all values is left out, because it would flatten
  /// the line.
  var showsTarget: Bool

  var ticks: [Double] { Ticks.multiples(of: step, lower, upper) }

  /// Chooses the range for the measured values. If lower is better it starts at 0, so that half the height means half
  /// the value; if higher is better it ends at the best value, so that losses are visible. Intervals extend it by at
  /// most half.
  ///
  /// - Parameter steps: the greatest number of steps between ticks.
  init(
    values: [Double], bounds: [Double], target: Double?, direction: Metric.Direction, unit: MetricUnit,
    steps: Int = 5
  ) {
    let values = values.filter(\.isFinite)
    let bounds = bounds.filter(\.isFinite)
    let fitted =
      direction == .lower
      ? Self.fromZero(values, bounds, target) : Self.towardsBest(values, bounds, target, ceiling: unit.ceiling)
    reading = DisplayUnit.best(for: max(fitted.upper.magnitude, fitted.lower.magnitude), unit)
    let factor = reading.factor
    let step = Ticks.step(fitted.lower / factor, fitted.upper / factor, count: steps) * factor
    let lower = (fitted.lower / step + 1e-9).rounded(.down) * step
    let upper = (fitted.upper / step - 1e-9).rounded(.up) * step
    self.step = step
    self.lower = lower
    self.upper = upper
    showsTarget = target.map { $0 >= lower - step * 1e-9 && $0 <= upper + step * 1e-9 } ?? false
  }

  /// The label of a tick: `0`, `500 ms`, `1.5 s`. All labels have the unit of the largest and the decimals of the step.
  /// There is no space for words, so "per 1,000" is written as ‰.
  func label(_ tick: Double, _ unit: MetricUnit) -> String {
    if tick == 0 { return "0" }
    return Decimal.fixed(tick / reading.factor, Decimal.decimalsNeeded(step / reading.factor, atMost: 6))
      + (unit == .perThousand ? "\u{A0}‰" : reading.suffix)
  }

  /// The labels of all ticks.
  func labels(_ unit: MetricUnit) -> [String] { ticks.map { label($0, unit) } }

  private static func fromZero(
    _ values: [Double], _ bounds: [Double], _ target: Double?
  ) -> (lower: Double, upper: Double) {
    var top = values.max() ?? 0
    if let target, target.isFinite, top == 0 || target <= top * 4 { top = max(top, target) }
    let reach = min(bounds.max() ?? top, top * 1.5)
    top = max(top, reach)
    return (0, top > 0 ? top : 1)
  }

  private static func towardsBest(
    _ values: [Double], _ bounds: [Double], _ target: Double?, ceiling: Double?
  ) -> (lower: Double, upper: Double) {
    let known = values + (target.map { [$0] } ?? [])
    let top = ceiling ?? known.max() ?? 1
    let worst = min(known.min() ?? 0, top)
    let room = top - worst
    let reach = max(bounds.min() ?? worst, worst - room / 2)
    let bottom = min(worst, reach)
    return bottom < top ? (bottom, top) : (top - max(top.magnitude / 100, 1e-6), top)
  }
}

extension MetricUnit {
  /// The best possible value of a unit; nil if there is none.
  fileprivate var ceiling: Double? { self == .ratio ? 1 : nil }
}

/// Round numbers for the ticks of an axis: 1, 2 or 5 times a power of ten apart (Heckbert, "Nice numbers for graph
/// labels", 1990).
enum Ticks {
  /// The smallest round step that puts at most `count` steps between `lower` and `upper`.
  static func step(_ lower: Double, _ upper: Double, count: Int) -> Double {
    let raw = (upper - lower) / Double(max(1, count))
    guard raw > 0, raw.isFinite else { return 1 }
    var power = 1.0
    while power * 10 <= raw { power *= 10 }
    while power > raw { power /= 10 }
    // A small tolerance, because in binary 0.1 + 0.2 exceeds 0.3.
    return [1, 2, 5, 10].map { $0 * power }.first { $0 >= raw * (1 - 1e-9) } ?? power * 10
  }

  /// The multiples of `step` from `lower` to `upper`, both included.
  static func multiples(of step: Double, _ lower: Double, _ upper: Double) -> [Double] {
    guard step > 0, upper >= lower, (upper - lower) / step < 1000 else { return [] }
    let first = (lower / step - 1e-9).rounded(.up)
    let last = (upper / step + 1e-9).rounded(.down)
    guard last >= first else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }
}
