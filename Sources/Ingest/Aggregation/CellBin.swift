import Core
import Statistics
import Storage

/// The merged measurements of one cell in one time bin.
///
/// The cells of many payloads do not fit into a processor's cache: two hundred cells have eighty series each. Data that
/// every payload touches is therefore stored close together: sums in one array, histograms in another, names elsewhere.
struct CellBin {
  let cell: Int
  let bin: TimeBin
  private var distributions: [Distribution] = []
  private var counters: [Counter] = []
  private var pairs: [RatioMoments] = []
  private var names: [Name] = []
  private var catalogued = CatalogueIndices()
  private var others: [SeriesIdentity: Int] = [:]

  /// The series indices of unlabelled catalogue metrics, by record number. A short list is searched, which saves memory
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

  /// The kind of a series, which determines the array it is stored in.
  enum Content {
    case distribution
    case counter
    case pair
  }

  private struct Distribution {
    let stepsPerUnit: Double
    var histogram: Histogram
  }

  private struct Counter {
    let stepsPerUnit: Double
    var sum = CounterSum()
  }

  private struct Name {
    let metric: MetricReference
    let label: String
    let content: Content
    let index: Int
  }

  init(cell: Int, bin: TimeBin) {
    self.cell = cell
    self.bin = bin
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
    let content: Content
  }

  /// The number of series in the time bin.
  var count: Int { names.count }

  /// The bin's changes, one per series.
  var series: [SeriesDelta] {
    names.map { name in
      let aggregate: Aggregate =
        switch name.content {
        case .distribution: .distribution(distributions[name.index].histogram)
        case .counter: .counter(counters[name.index].sum)
        case .pair: .pair(pairs[name.index])
        }
      return SeriesDelta(metric: name.metric, label: name.label, aggregate: aggregate)
    }
  }

  /// The index of a series in the array of its kind. Adds the series if it is new.
  mutating func index(
    of identity: SeriesIdentity, _ content: Content, named: () -> (MetricReference, String)
  ) -> Int {
    guard identity.hash == 0, CatalogueIndices.covers(identity.number) else {
      if let found = others[identity] { return found }
      guard others.count < Self.mostOthers else { return foldedIndex(content, named()) }
      let index = add(content, named())
      others[identity] = index
      return index
    }
    if let found = catalogued[identity.number] { return found }
    let index = add(content, named())
    catalogued.add(identity.number, at: index)
    return index
  }

  /// The index of the "(other)" series, for names beyond `mostOthers`. The store would refuse most of them anyway.
  private mutating func foldedIndex(_ content: Content, _ name: (metric: MetricReference, label: String)) -> Int {
    folded += 1
    var metric = name.metric
    if case .custom(_, let unit, let kind) = metric { metric = .custom(name: Self.other, unit: unit, kind: kind) }
    let series = FoldedSeries(metric: metric, label: name.label.isEmpty ? "" : Self.other, content: content)
    if let found = foldedIndices[series] { return found }
    let index = add(content, (series.metric, series.label))
    foldedIndices[series] = index
    return index
  }

  /// The number of bins and spans in a distribution.
  func parts(at index: Int) -> Int { distributions[index].histogram.partCount }

  /// Adds a bucket to a distribution.
  mutating func insert(_ span: Span, at index: Int, _ cluster: inout ClusterSum) {
    let steps = distributions[index].stepsPerUnit
    distributions[index].histogram.insertSpan(
      low: span.low, high: span.high, count: span.count, stepsPerUnit: steps, into: &cluster)
  }

  /// Adds a sample to a distribution.
  mutating func insert(_ value: Double, at index: Int, _ cluster: inout ClusterSum) {
    let steps = distributions[index].stepsPerUnit
    distributions[index].histogram.insert(value, stepsPerUnit: steps, into: &cluster)
  }

  /// Adds an aggregate that was computed elsewhere.
  mutating func merge(_ aggregate: Aggregate, at index: Int) {
    switch aggregate {
    case .distribution(let histogram): distributions[index].histogram.merge(histogram)
    case .counter(let sum): counters[index].sum = counters[index].sum.merged(with: sum)
    case .pair, .sessions, .users: break
    }
  }

  /// Adds a finished cluster to the moments of a distribution.
  mutating func close(_ cluster: ClusterSum, at index: Int) { distributions[index].histogram.close(cluster) }

  /// Adds a value to a counter.
  mutating func count(_ value: Double, at index: Int) {
    // NaN and negative values come only from damaged records.
    guard value >= 0 else { return }
    let steps = (value * counters[index].stepsPerUnit).rounded()
    let added = steps < 9e18 ? Int64(steps) : Int64.max
    counters[index].sum = counters[index].sum.merged(with: CounterSum(steps: added))
  }

  /// Counts a payload that contributed to a counter.
  mutating func countPayload(at index: Int) { counters[index].sum.payloads &+= 1 }

  /// Adds the numerator and denominator of a rate or ratio.
  mutating func add(_ pair: PayloadRates.Pair) {
    let index = index(of: SeriesIdentity(catalogue: pair.metric), .pair) { (.known(pair.metric), "") }
    pairs[index].add(x: pair.x, y: pair.y)
  }

  /// Adds a payload to the counter of payloads.
  mutating func countWholePayload() {
    let index = index(of: SeriesIdentity(catalogue: Catalogue.payloads), .counter) { (.known(Catalogue.payloads), "") }
    count(1, at: index)
    countPayload(at: index)
  }

  private mutating func add(_ content: Content, _ name: (metric: MetricReference, label: String)) -> Int {
    let unit = name.metric.unit
    let index: Int
    switch content {
    case .distribution:
      index = distributions.count
      let scheme: BinScheme = unit == .count ? .integer : .logarithmic
      distributions.append(Distribution(stepsPerUnit: unit.stepsPerUnit, histogram: Histogram(scheme: scheme)))
    case .counter:
      index = counters.count
      counters.append(Counter(stepsPerUnit: unit.stepsPerUnit))
    case .pair:
      index = pairs.count
      pairs.append(RatioMoments())
    }
    names.append(Name(metric: name.metric, label: name.label, content: content, index: index))
    return index
  }
}
