import Storage
import Telemetry

/// One cell in one time bin: where readings of equal origin and time are merged.
struct Partition {
  let cell: Int
  let bin: TimeBin
  private(set) var series: [SeriesAccumulator] = []
  /// Unlabelled catalogue metrics by record number, −1 where there is none yet: no hashing for eighty readings a payload.
  private var known = [Int32](repeating: -1, count: Partition.knownCount)
  private var others: [SeriesName: Int32] = [:]

  private static let knownCount = 900

  init(cell: Int, bin: TimeBin) {
    self.cell = cell
    self.bin = bin
  }

  /// The place of a series, made when it is new.
  mutating func index(
    of metric: MetricReference, label: String, content: SeriesAccumulator.Content
  ) -> Int {
    if case .known(let number) = metric, label.isEmpty, Int(number) < Self.knownCount {
      let found = known[Int(number)]
      if found >= 0 { return Int(found) }
      known[Int(number)] = Int32(series.count)
    } else {
      let name = SeriesName(metric: metric, label: label)
      if let found = others[name] { return Int(found) }
      others[name] = Int32(series.count)
    }
    series.append(SeriesAccumulator(metric: metric, label: label, content: content))
    return series.count - 1
  }

  /// Changes a series in place.
  mutating func update<Result, Failure: Error>(
    _ index: Int, _ body: (inout SeriesAccumulator) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(&series[index])
  }

  private struct SeriesName: Hashable {
    let metric: MetricReference
    let label: String
  }
}
