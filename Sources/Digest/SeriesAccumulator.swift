import Statistics
import Storage
import Telemetry

/// One metric of one cell while records are merged into it. The parts stand side by side, not in an enum, so that a
/// value is added in place.
struct SeriesAccumulator {
  let metric: MetricReference
  let label: String
  let content: Content
  let stepsPerUnit: Double
  var histogram: Histogram
  var counter = CounterSum()
  var pair = PairSum()

  enum Content {
    case distribution
    case counter
    case pair
  }

  init(metric: MetricReference, label: String, content: Content) {
    self.metric = metric
    self.label = label
    self.content = content
    let unit = metric.unit
    stepsPerUnit = unit.stepsPerUnit
    histogram = Histogram(scheme: unit == .count ? .integer : .logarithmic)
  }

  var delta: SeriesDelta {
    let aggregate: Aggregate =
      switch content {
      case .distribution: .distribution(histogram)
      case .counter: .counter(counter)
      case .pair: .pair(pair)
      }
    return SeriesDelta(metric: metric, label: label, aggregate: aggregate)
  }

  mutating func count(_ value: Double) {
    // Only a damaged record holds what is not a number.
    guard value >= 0 else { return }
    let steps = (value * stepsPerUnit).rounded()
    let added = steps < 9e18 ? Int64(steps) : Int64.max
    counter = counter.merged(with: CounterSum(steps: added, payloads: 0))
  }
}
