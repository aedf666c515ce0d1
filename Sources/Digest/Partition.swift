import Record
import Statistics
import Storage
import Telemetry

/// One cell in one time bin: where readings of equal origin and time are merged.
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
  /// Where unlabelled catalogue metrics stand, by record number; −1 where there is none yet.
  private var known = [Int16](repeating: -1, count: Partition.knownCount)
  private var others: [SeriesIdentity: Int] = [:]

  private static let knownCount = 900
  /// The mark in `known` of a series that stands in `others`.
  private static let isAmongOthers: Int16 = -2

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
    guard identity.hash == 0, Int(identity.number) < Self.knownCount else {
      if let found = others[identity] { return found }
      guard others.count < Self.mostOthers else { return foldedPlace(content, named()) }
      let place = add(content, named())
      others[identity] = place
      return place
    }
    let found = known[Int(identity.number)]
    if found >= 0 { return Int(found) }
    // Behind so many series of one client's that a short number does not reach.
    if found == Self.isAmongOthers, let found = others[identity] { return found }
    let place = add(content, named())
    known[Int(identity.number)] = Int16(exactly: place) ?? Self.isAmongOthers
    if place > Int16.max { others[identity] = place }
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
