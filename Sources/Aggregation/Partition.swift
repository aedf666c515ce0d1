import Record
import Statistics
import Storage
import Telemetry

/// One cell in one time bin: where measurements of equal origin and time are merged.
///
/// Two hundred cells of eighty series do not fit a processor's nearest memory, so what every payload touches stands
/// close together: sums by themselves, histograms by themselves, names elsewhere.
struct Partition {
  let cell: Int
  let bin: TimeBin
  private var distributions: [Distribution] = []
  private var counters: [Counter] = []
  private var pairs: [PairSum] = []
  private var names: [Name] = []
  private var catalogued = CataloguePlaces()
  private var others: [SeriesIdentity: Int] = [:]

  /// Where unlabelled catalogue metrics stand, by record number: a list that is searched while they are few, so that many
  /// partitions of one reading take little memory, and a table from then on. No partition has more than some 5,000 series.
  private struct CataloguePlaces {
    private var few: [(number: UInt16, place: Int16)] = []
    private var table: [Int16] = []

    private static let mostSearched = 8
    private static let tableSize = 900
    private static let none: Int16 = -1

    static func covers(_ number: UInt16) -> Bool { number < tableSize }

    subscript(number: UInt16) -> Int? {
      if table.isEmpty { return few.first { $0.number == number }.map { Int($0.place) } }
      let place = table[Int(number)]
      return place == Self.none ? nil : Int(place)
    }

    mutating func add(_ number: UInt16, at place: Int) {
      let place = Int16(truncatingIfNeeded: place)
      if table.isEmpty, few.count < Self.mostSearched { return few.append((number, place)) }
      if table.isEmpty {
        table = [Int16](repeating: Self.none, count: Self.tableSize)
        for entry in few { table[Int(entry.number)] = entry.place }
        few = []
      }
      table[Int(number)] = place
    }
  }

  /// What a series holds; its place counts within that kind.
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
    let place: Int
  }

  init(cell: Int, bin: TimeBin) {
    self.cell = cell
    self.bin = bin
  }

  /// Series with a label or of a metric of one's own that a partition tells apart.
  static let mostOthers = 2_000
  private static let other = "(other)"

  /// How often values went to "(other)".
  private(set) var folded = 0
  private var foldedPlaces: [FoldedSeries: Int] = [:]

  private struct FoldedSeries: Hashable {
    let metric: MetricReference
    let label: String
    let content: Content
  }

  /// How many series it holds.
  var count: Int { names.count }

  /// What the cell gains.
  var series: [SeriesDelta] {
    names.map { name in
      let aggregate: Aggregate =
        switch name.content {
        case .distribution: .distribution(distributions[name.place].histogram)
        case .counter: .counter(counters[name.place].sum)
        case .pair: .pair(pairs[name.place])
        }
      return SeriesDelta(metric: name.metric, label: name.label, aggregate: aggregate)
    }
  }

  /// The place of a series among those of its kind, made when it is new.
  mutating func place(
    of identity: SeriesIdentity, _ content: Content, named: () -> (MetricReference, String)
  ) -> Int {
    guard identity.hash == 0, CataloguePlaces.covers(identity.number) else {
      if let found = others[identity] { return found }
      guard others.count < Self.mostOthers else { return foldedPlace(content, named()) }
      let place = add(content, named())
      others[identity] = place
      return place
    }
    if let found = catalogued[identity.number] { return found }
    let place = add(content, named())
    catalogued.add(identity.number, at: place)
    return place
  }

  /// The place of all that comes after so many labels and metrics of one's own: a store would hardly admit their names.
  private mutating func foldedPlace(_ content: Content, _ name: (metric: MetricReference, label: String)) -> Int {
    folded += 1
    var metric = name.metric
    if case .custom(_, let unit, let kind) = metric { metric = .custom(name: Self.other, unit: unit, kind: kind) }
    let series = FoldedSeries(metric: metric, label: name.label.isEmpty ? "" : Self.other, content: content)
    if let found = foldedPlaces[series] { return found }
    let place = add(content, (series.metric, series.label))
    foldedPlaces[series] = place
    return place
  }

  /// How many bins and spans a distribution holds.
  func parts(at place: Int) -> Int { distributions[place].histogram.partCount }

  /// Adds a bucket to a distribution.
  mutating func insert(_ span: Span, at place: Int, _ cluster: inout ClusterSum) {
    let steps = distributions[place].stepsPerUnit
    distributions[place].histogram.insertSpan(
      low: span.low, high: span.high, count: span.count, stepsPerUnit: steps, into: &cluster)
  }

  /// Adds a sample to a distribution.
  mutating func insert(_ value: Double, at place: Int, _ cluster: inout ClusterSum) {
    let steps = distributions[place].stepsPerUnit
    distributions[place].histogram.insert(value, stepsPerUnit: steps, into: &cluster)
  }

  /// Adds what was summed elsewhere.
  mutating func merge(_ aggregate: Aggregate, at place: Int) {
    switch aggregate {
    case .distribution(let histogram): distributions[place].histogram.merge(histogram)
    case .counter(let sum): counters[place].sum = counters[place].sum.merged(with: sum)
    case .pair, .sessions, .users: break
    }
  }

  /// A payload has said all it has to say to a distribution.
  mutating func close(_ cluster: ClusterSum, at place: Int) { distributions[place].histogram.close(cluster) }

  /// Adds to a counter.
  mutating func count(_ value: Double, at place: Int) {
    // Only a damaged record holds what is not a number.
    guard value >= 0 else { return }
    let steps = (value * counters[place].stepsPerUnit).rounded()
    let added = steps < 9e18 ? Int64(steps) : Int64.max
    counters[place].sum = counters[place].sum.merged(with: CounterSum(steps: added))
  }

  /// A payload has said all it has to say to a counter.
  mutating func countPayload(at place: Int) { counters[place].sum.payloads &+= 1 }

  /// Adds the two sides of a rate or ratio.
  mutating func add(_ pair: PayloadFacts.Pair) {
    let place = place(of: SeriesIdentity(catalogue: pair.metric), .pair) { (.known(pair.metric), "") }
    pairs[place].add(x: pair.x, y: pair.y)
  }

  /// Counts a payload under the number of payloads themselves.
  mutating func countWholePayload() {
    let place = place(of: SeriesIdentity(catalogue: Catalogue.payloads), .counter) { (.known(Catalogue.payloads), "") }
    count(1, at: place)
    countPayload(at: place)
  }

  private mutating func add(_ content: Content, _ name: (metric: MetricReference, label: String)) -> Int {
    let unit = name.metric.unit
    let place: Int
    switch content {
    case .distribution:
      place = distributions.count
      let scheme: BinScheme = unit == .count ? .integer : .logarithmic
      distributions.append(Distribution(stepsPerUnit: unit.stepsPerUnit, histogram: Histogram(scheme: scheme)))
    case .counter:
      place = counters.count
      counters.append(Counter(stepsPerUnit: unit.stepsPerUnit))
    case .pair:
      place = pairs.count
      pairs.append(PairSum())
    }
    names.append(Name(metric: name.metric, label: name.label, content: content, place: place))
    return place
  }
}
