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
  /// The positions of series in `series.names`.
  private var slots = SlotPositions()
  private var others: [SeriesIdentity: Int] = [:]
  /// The number of used series that have a label or a custom metric.
  private var othersCount = 0

  /// The positions of series by slot. A short list is searched, which saves memory in small bins; a longer one becomes a
  /// table. A bin has at most about 5,000 series.
  private struct SlotPositions {
    private var few: [(slot: SeriesSlot, position: Int16)] = []
    private var table: [Int16] = []

    private static let mostSearched = 8
    private static let none: Int16 = -1

    subscript(slot: SeriesSlot) -> Int? {
      if table.isEmpty { return few.first { $0.slot == slot }.map { Int($0.position) } }
      let position = table[Int(slot.number)]
      return position == Self.none ? nil : Int(position)
    }

    mutating func add(_ slot: SeriesSlot, at position: Int) {
      let position = Int16(truncatingIfNeeded: position)
      if table.isEmpty, few.count < Self.mostSearched { return few.append((slot, position)) }
      if table.isEmpty {
        table = [Int16](repeating: Self.none, count: SeriesSlot.count)
        for entry in few { table[Int(entry.slot.number)] = entry.position }
        few = []
      }
      table[Int(slot.number)] = position
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
    of slot: SeriesSlot, _ kind: CellSeries.Kind, _ identity: @autoclosure () -> SeriesIdentity,
    named: () -> (MetricReference, String)
  ) -> Int {
    let identity = slot == .none ? identity() : .none
    if let found = slot == .none ? others[identity] : slots[slot] {
      return slot.isOfCatalogue ? series.use(found) : series.use(found, counting: &othersCount)
    }
    if !slot.isOfCatalogue {
      guard othersCount < Self.mostOthers else { return foldedIndex(kind, named()) }
      othersCount += 1
    }
    if slot == .none {
      others[identity] = series.names.count
    } else {
      slots.add(slot, at: series.names.count)
    }
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

  /// Adds a measurement's values to a distribution. Returns the number of bins and spans that this added.
  mutating func insert(
    _ item: DecodedMeasurements.Item, of measured: borrowing DecodedMeasurements, at index: Int,
    _ cluster: inout ClusterSum
  ) -> Int {
    let steps = measured.heads[item.head].stepsPerUnit
    let before = parts(at: index)
    if let extent = item.extent {
      series.distributions[index].insert(
        spans: measured.spans, item.values, extent: measured.extents[extent], stepsPerUnit: steps, into: &cluster)
    } else if item.form == .spans {
      series.distributions[index].insert(spans: measured.spans, item.values, stepsPerUnit: steps, into: &cluster)
    } else {
      series.distributions[index].insert(samples: measured.numbers, item.values, stepsPerUnit: steps, into: &cluster)
    }
    return parts(at: index) - before
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

  /// Adds a payload's value, in fixed-point steps, to a counter.
  mutating func count(steps: Int64, at index: Int) { series.counters[index].add(steps: steps) }

  /// Adds the numerator and denominator of a rate or ratio.
  mutating func add(_ pair: PayloadRates.Pair) {
    let index = index(of: SeriesSlot(catalogue: pair.metric), .pair, SeriesIdentity(catalogue: pair.metric)) {
      (.known(pair.metric), "")
    }
    series.pairs[index].add(x: pair.x, y: pair.y)
  }

  /// Adds a payload to the counter of payloads.
  mutating func countWholePayload() {
    let number = Catalogue.payloads
    let index = index(of: SeriesSlot(catalogue: number), .counter, SeriesIdentity(catalogue: number)) {
      (.known(number), "")
    }
    count(steps: 1, at: index)
  }

  private mutating func add(_ kind: CellSeries.Kind, _ name: (metric: MetricReference, label: String)) -> Int {
    series.add(name.metric, name.label, kind)
  }
}
