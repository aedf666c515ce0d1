import Core
import Statistics
import Storage

/// The merged measurements whose age of the installation's update is known, by cell, day and age. They are kept in
/// addition to those in `CellBin`, for comparisons of releases at the same age.
struct AgedCellBins {
  private var bins: [CellBin] = []
  private var ages: [UpdateAge] = []
  private var indices: [Key: Int] = [:]
  /// The clusters of the payload that is being digested: one for each series.
  private var clusters: [(series: Series, sum: ClusterSum)] = []
  private var clusterIndices: [Series: Int] = [:]

  private struct Key: Hashable {
    let cell: Int
    let day: CalendarDay
    let age: UpdateAge
  }

  private struct Series: Hashable {
    let bin: Int
    let index: Int
  }

  /// The number of series in all bins.
  private(set) var seriesCount = 0

  /// Adds a distribution's values on a day. Returns the number of bins and spans that this added: 0 if the age of the
  /// update is unknown.
  mutating func insert(
    _ item: DecodedMeasurements.Item, of measured: borrowing DecodedMeasurements, on day: CalendarDay,
    _ payload: CurrentPayload
  ) -> Int {
    guard let cluster = cluster(item, measured, on: day, payload) else { return 0 }
    let series = clusters[cluster].series
    return bins[series.bin].insert(item, of: measured, at: series.index, &clusters[cluster].sum)
  }

  /// Adds a distribution that was computed elsewhere, like `insert`.
  mutating func merge(
    _ aggregate: Aggregate, _ sum: ClusterSum, _ item: DecodedMeasurements.Item,
    of measured: borrowing DecodedMeasurements, on day: CalendarDay, _ payload: CurrentPayload
  ) -> Int {
    guard let cluster = cluster(item, measured, on: day, payload) else { return 0 }
    let series = clusters[cluster].series
    let before = bins[series.bin].parts(at: series.index)
    bins[series.bin].merge(aggregate, at: series.index)
    clusters[cluster].sum.merge(sum)
    return bins[series.bin].parts(at: series.index) - before
  }

  /// The index of the payload's cluster in the series of a measurement; nil if the age of the update is unknown.
  private mutating func cluster(
    _ item: DecodedMeasurements.Item, _ measured: borrowing DecodedMeasurements, on day: CalendarDay,
    _ payload: CurrentPayload
  ) -> Int? {
    guard let bin = bin(on: day, payload) else { return nil }
    let before = bins[bin].count
    let names = measured.heads.names[item.head]
    let index = bins[bin].index(of: measured.heads[item.head].whole, .distribution, names.whole) {
      names.series(labelled: false)
    }
    seriesCount += bins[bin].count - before
    let series = Series(bin: bin, index: index)
    if let known = clusterIndices[series] { return known }
    clusters.append((series, ClusterSum()))
    clusterIndices[series] = clusters.count - 1
    return clusters.count - 1
  }

  /// The index of the payload's bin on a day; nil if the age of the update is unknown.
  mutating func bin(on day: CalendarDay, _ payload: CurrentPayload) -> Int? {
    guard let age = payload.age(on: day) else { return nil }
    let key = Key(cell: payload.cell, day: day, age: age)
    if let known = indices[key] { return known }
    var new = CellBin()
    new.begin(cell: payload.cell, bin: TimeBin(day))
    bins.append(new)
    ages.append(age)
    indices[key] = bins.count - 1
    return bins.count - 1
  }

  /// Adds the numerator and denominator of a rate.
  mutating func add(_ pair: PayloadRates.Pair, to bin: Int) {
    let before = bins[bin].count
    bins[bin].add(pair)
    seriesCount += bins[bin].count - before
  }

  /// Ends the payload, which is one cluster in each of its series.
  mutating func endPayload() {
    for (series, sum) in clusters { bins[series.bin].close(sum, at: series.index) }
    clusters.removeAll(keepingCapacity: true)
    clusterIndices.removeAll(keepingCapacity: true)
  }

  /// The changes of all cells. `cells`: the keys of the cells by index.
  func deltas(_ cells: [CellKey]) -> [AgedCellDelta] {
    zip(bins, ages).map { bin, age in
      AgedCellDelta(key: cells[bin.cell], day: bin.bin.day, age: age, series: bin.series.deltas)
    }
  }
}
