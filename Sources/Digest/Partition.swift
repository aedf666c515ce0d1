import Record
import Statistics
import Storage
import Telemetry

/// One cell in one time bin: where readings of equal origin and time are merged.
struct Partition {
  let cell: Int
  let bin: TimeBin
  private(set) var series: [SeriesAccumulator] = []
  /// Unlabelled catalogue metrics by record number, −1 where there is none yet: no hashing for eighty readings a payload.
  private var known = [Int32](repeating: -1, count: Partition.knownCount)
  private var others: [SeriesIdentity: Int32] = [:]

  private static let knownCount = 900

  init(cell: Int, bin: TimeBin) {
    self.cell = cell
    self.bin = bin
  }

  /// The place of a series, made when it is new.
  mutating func index(
    of identity: SeriesIdentity, _ content: SeriesAccumulator.Content, named: () -> (MetricReference, String)
  ) -> Int {
    let isKnown = identity.hash == 0 && Int(identity.number) < Self.knownCount
    if isKnown {
      let found = known[Int(identity.number)]
      if found >= 0 { return Int(found) }
      known[Int(identity.number)] = Int32(series.count)
    } else {
      if let found = others[identity] { return Int(found) }
      others[identity] = Int32(series.count)
    }
    let (metric, label) = named()
    series.append(SeriesAccumulator(metric: metric, label: label, content: content))
    return series.count - 1
  }

  /// The place of a catalogue metric over all labels, made when it is new.
  mutating func index(of number: UInt16, _ content: SeriesAccumulator.Content) -> Int {
    index(of: SeriesIdentity(catalogue: number), content) { (.known(number), "") }
  }

  /// Adds a reading's buckets to one series.
  mutating func insert(_ span: Span, _ index: Int, _ cluster: inout ClusterSum) {
    if series[index].content == .distribution {
      let steps = series[index].stepsPerUnit
      series[index].histogram.insertSpan(
        low: span.low, high: span.high, count: span.count, stepsPerUnit: steps, into: &cluster)
    } else {
      series[index].count((span.high.isFinite ? (span.low + span.high) / 2 : span.low) * Double(span.count))
    }
  }

  /// Adds a sample or a counter's value to one series.
  mutating func insert(_ value: Double, _ index: Int, _ cluster: inout ClusterSum) {
    if series[index].content == .distribution {
      let steps = series[index].stepsPerUnit
      series[index].histogram.insert(value, stepsPerUnit: steps, into: &cluster)
    } else {
      series[index].count(value)
    }
  }

  /// A payload has said all it has to say to a series.
  mutating func close(_ cluster: ClusterSum, _ index: Int) { series[index].histogram.close(cluster) }

  /// Counts a payload of a counter.
  mutating func countPayload(_ index: Int) { series[index].counter.payloads &+= 1 }

  /// Adds the two sides of a rate or ratio.
  mutating func add(_ pair: PayloadFacts.Pair) {
    let place = index(of: pair.metric, .pair)
    series[place].pair.add(x: pair.x, y: pair.y)
  }

  /// Counts a payload under the number of payloads themselves.
  mutating func countWholePayload() {
    let place = index(of: Catalogue.payloads, .counter)
    series[place].counter = series[place].counter.merged(with: CounterSum(steps: 1, payloads: 1))
  }
}
