public import Core
public import Statistics

/// The changed series of a cell: names, and the sums of each kind in an array of their own. A flush merges millions of
/// sums, and copying each out of an enum would take as long as merging it.
///
/// After `clear`, names and memory stay for the next cell, because most cells of an app have the same series. A series
/// is part of the changes only once it is used again.
public struct CellSeries: Sendable {
  public struct Name: Sendable {
    public let metric: MetricReference
    /// The label of the changed rows; empty for the sum over all labels.
    public let label: String
    public let kind: Kind
    /// The index in the array of the kind.
    public let index: Int
  }

  public enum Kind: Sendable, Hashable {
    case distribution
    case counter
    case pair
  }

  /// The known names, also those that are not used.
  public private(set) var names: [Name] = []
  /// The indices in `names` of the used series, in the order of their first use.
  public private(set) var used: [Int] = []
  /// For each name, the index in the array of its kind, and in the lowest bit whether the series is used. Every
  /// measurement reads it, so it is not among the names, which take fourteen times the memory.
  private var marks: [Int32] = []
  public var distributions: [Histogram] = []
  public var counters: [CounterSum] = []
  public var pairs: [RatioMoments] = []

  public init() {}

  /// Creates changes from aggregates. Those of sessions and users are left out, because a cell's changes have none.
  public init(_ series: [SeriesDelta]) {
    for delta in series {
      switch delta.aggregate {
      case .distribution(let values):
        distributions[add(delta.metric, delta.label, .distribution)] = values
      case .counter(let sum): counters[add(delta.metric, delta.label, .counter)] = sum
      case .pair(let sum): pairs[add(delta.metric, delta.label, .pair)] = sum
      case .sessions, .users: break
      }
    }
  }

  /// The number of used series.
  public var count: Int { used.count }

  /// The used series, each as an aggregate.
  public var deltas: [SeriesDelta] {
    used.map { SeriesDelta(metric: names[$0].metric, label: names[$0].label, aggregate: aggregate(at: $0)) }
  }

  /// The sum of the series `names[position]`.
  public func aggregate(at position: Int) -> Aggregate {
    switch names[position].kind {
    case .distribution: .distribution(distributions[names[position].index])
    case .counter: .counter(counters[names[position].index])
    case .pair: .pair(pairs[names[position].index])
    }
  }

  /// Adds a used series without values. Returns its index in the array of its kind.
  public mutating func add(_ metric: MetricReference, _ label: String, _ kind: Kind) -> Int {
    let index: Int
    switch kind {
    case .distribution:
      index = distributions.count
      distributions.append(Histogram(scheme: metric.unit == .count ? .integer : .logarithmic))
    case .counter:
      index = counters.count
      counters.append(CounterSum())
    case .pair:
      index = pairs.count
      pairs.append(RatioMoments())
    }
    used.append(names.count)
    marks.append(Int32(truncatingIfNeeded: index) << 1 | 1)
    names.append(Name(metric: metric, label: label, kind: kind, index: index))
    return index
  }

  /// Makes a known series part of the changes. Returns its index in the array of its kind.
  public mutating func use(_ position: Int) -> Int {
    var unused = 0
    return use(position, counting: &unused)
  }

  /// Makes a known series part of the changes, and counts it unless it is already. Returns its index in the array of its
  /// kind.
  public mutating func use(_ position: Int, counting count: inout Int) -> Int {
    let mark = marks[position]
    if mark & 1 == 0 {
      marks[position] = mark | 1
      used.append(position)
      count += 1
    }
    return Int(mark &>> 1)
  }

  /// Removes all changes. Names and memory stay.
  public mutating func clear() {
    for position in used {
      let index = names[position].index
      switch names[position].kind {
      case .distribution: distributions[index].removeAll()
      case .counter: counters[index] = CounterSum()
      case .pair: pairs[index] = RatioMoments()
      }
      marks[position] &= ~1
    }
    used.removeAll(keepingCapacity: true)
  }
}
