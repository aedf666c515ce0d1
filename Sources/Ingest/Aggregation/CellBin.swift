import Core
import Statistics
import Storage

/// The merged measurements of one cell in one time bin.
///
/// The cells of many payloads do not fit into a processor's cache: two hundred cells have eighty series each. Data that
/// every payload touches is therefore stored close together: sums in one array, histograms in another, names elsewhere.
struct CellBin {
  private(set) var cell = 0
  private(set) var bin = TimeBin(CalendarDay(number: 0))
  private(set) var series = CellSeries()
  /// The resolution of sums of each distribution and counter: `MetricUnit.stepsPerUnit`.
  private var distributionSteps: [Double] = []
  private var counterSteps: [Double] = []
  /// The positions of series in `series.names`.
  private var catalogued = CatalogueIndices()
  private var others: [SeriesIdentity: Int] = [:]
  /// The number of used series in `others`.
  private var othersCount = 0

  /// The positions of unlabelled catalogue metrics, by record number. A short list is searched, which saves memory
  /// in small bins; a longer one becomes a table. A bin has at most about 5,000 series.
  private struct CatalogueIndices {
    private var few: [(number: UInt16, index: Int16)] = []
    private var table: [Int16] = []

    private static let mostSearched = 8
    private static let tableSize = 900
    private static let none: Int16 = -1

    static func covers(_ number: UInt16) -> Bool { number < tableSize }

    subscript(number: UInt16) -> Int? {
      if table.isEmpty { return few.first { $0.number == number }.map { Int($0.index) } }
      let index = table[Int(number)]
      return index == Self.none ? nil : Int(index)
    }

    mutating func add(_ number: UInt16, at index: Int) {
      let index = Int16(truncatingIfNeeded: index)
      if table.isEmpty, few.count < Self.mostSearched { return few.append((number, index)) }
      if table.isEmpty {
        table = [Int16](repeating: Self.none, count: Self.tableSize)
        for entry in few { table[Int(entry.number)] = entry.index }
        few = []
      }
      table[Int(number)] = index
    }
  }

  /// The most series of one bin that have a label or a custom metric. Further ones are counted as "(other)".
  static let mostOthers = 2_000
  private static let other = "(other)"

  /// How many values were counted as "(other)".
  private(set) var folded = 0
  private var foldedIndices: [FoldedSeries: Int] = [:]

  private struct FoldedSeries: Hashable {
    let metric: MetricReference
    let label: String
    let kind: CellSeries.Kind
  }

  /// The number of series in the time bin.
  var count: Int { series.count }

  /// The most names that an emptied bin keeps for the next cell. Apps with more send different ones in each payload.
  private static let mostKept = 400

  /// Returns the changes. The bin must not be used until they are given back.
  mutating func takeSeries() -> CellSeries {
    var taken = CellSeries()
    swap(&taken, &series)
    return taken
  }

  /// Takes changes back that were returned by `takeSeries` and are not needed any more. Becomes an empty bin of another
  /// cell, whose series use the same memory.
  mutating func reuse(_ taken: inout CellSeries) {
    guard taken.names.count <= Self.mostKept, folded == 0 else {
      self = CellBin()
      return
    }
    swap(&taken, &series)
    series.clear()
    othersCount = 0
  }

  /// Begins a cell in a new or emptied bin.
  mutating func begin(cell: Int, bin: TimeBin) { (self.cell, self.bin) = (cell, bin) }

  /// The index of a series in the array of its kind. Adds the series if it is new.
  mutating func index(
    of identity: SeriesIdentity, _ kind: CellSeries.Kind, named: () -> (MetricReference, String)
  ) -> Int {
    guard identity.hash == 0, CatalogueIndices.covers(identity.number) else {
      if let found = others[identity] { return series.use(found, counting: &othersCount) }
      guard othersCount < Self.mostOthers else { return foldedIndex(kind, named()) }
      othersCount += 1
      others[identity] = series.names.count
      return add(kind, named())
    }
    if let found = catalogued[identity.number] { return series.use(found) }
    catalogued.add(identity.number, at: series.names.count)
    return add(kind, named())
  }

  /// The index of the "(other)" series, for names beyond `mostOthers`. The store would refuse most of them anyway.
  private mutating func foldedIndex(_ kind: CellSeries.Kind, _ name: (metric: MetricReference, label: String)) -> Int {
    folded += 1
    var metric = name.metric
    if case .custom(_, let unit, let kind) = metric { metric = .custom(name: Self.other, unit: unit, kind: kind) }
    let identity = FoldedSeries(metric: metric, label: name.label.isEmpty ? "" : Self.other, kind: kind)
    if let found = foldedIndices[identity] { return found }
    let index = add(kind, (identity.metric, identity.label))
    foldedIndices[identity] = index
    return index
  }

  /// The number of bins and spans in a distribution.
  func parts(at index: Int) -> Int { series.distributions[index].partCount }

  /// Adds a bucket to a distribution.
  mutating func insert(_ span: Span, at index: Int, _ cluster: inout ClusterSum) {
    let steps = distributionSteps[index]
    series.distributions[index].insertSpan(
      low: span.low, high: span.high, count: span.count, stepsPerUnit: steps, into: &cluster)
  }

  /// Adds a sample to a distribution.
  mutating func insert(_ value: Double, at index: Int, _ cluster: inout ClusterSum) {
    let steps = distributionSteps[index]
    series.distributions[index].insert(value, stepsPerUnit: steps, into: &cluster)
  }

  /// Adds an aggregate that was computed elsewhere.
  mutating func merge(_ aggregate: Aggregate, at index: Int) {
    switch aggregate {
    case .distribution(let histogram): series.distributions[index].merge(histogram)
    case .counter(let sum): series.counters[index] = series.counters[index].merged(with: sum)
    case .pair, .sessions, .users: break
    }
  }

  /// Adds a finished cluster to the moments of a distribution.
  mutating func close(_ cluster: ClusterSum, at index: Int) {
    series.distributions[index].close(cluster)
  }

  /// Adds a value to a counter.
  mutating func count(_ value: Double, at index: Int) {
    // NaN and negative values come only from damaged records.
    guard value >= 0 else { return }
    let steps = (value * counterSteps[index]).rounded()
    let added = steps < 9e18 ? Int64(steps) : Int64.max
    series.counters[index] = series.counters[index].merged(with: CounterSum(steps: added))
  }

  /// Counts a payload that contributed to a counter.
  mutating func countPayload(at index: Int) { series.counters[index].payloads &+= 1 }

  /// Adds the numerator and denominator of a rate or ratio.
  mutating func add(_ pair: PayloadRates.Pair) {
    let index = index(of: SeriesIdentity(catalogue: pair.metric), .pair) { (.known(pair.metric), "") }
    series.pairs[index].add(x: pair.x, y: pair.y)
  }

  /// Adds a payload to the counter of payloads.
  mutating func countWholePayload() {
    let index = index(of: SeriesIdentity(catalogue: Catalogue.payloads), .counter) { (.known(Catalogue.payloads), "") }
    count(1, at: index)
    countPayload(at: index)
  }

  private mutating func add(_ kind: CellSeries.Kind, _ name: (metric: MetricReference, label: String)) -> Int {
    switch kind {
    case .distribution: distributionSteps.append(name.metric.unit.stepsPerUnit)
    case .counter: counterSteps.append(name.metric.unit.stepsPerUnit)
    case .pair: break
    }
    return series.add(name.metric, name.label, kind)
  }
}
