/// Finds the parts of an app's use that explain a change, or a group of events.
///
/// The most significant part is chosen, the rest is judged as if its factor were known, and so on until nothing stands
/// out. A part must stand out in two tests: against all other use, and against other use with the same members of all
/// other families (N. Mantel, W. Haenszel 1959), so that a part which only contains many phones of the real cause is
/// not named. A part of two features must also stand out within each of its features. Parts count as found at a false
/// discovery rate of 5 % over all parts (Y. Benjamini, Y. Hochberg 1995).
public struct CauseSearch {
  /// The causes, most significant first.
  public private(set) var causes: [Cause] = []
  /// The number of parts with enough use and events. With 0, nothing can be said.
  public let tested: Int
  /// Whether the head has a higher rate than the base in cells that both have, by more than chance; always true without
  /// a base.
  public let isWorse: Bool

  private let table: CauseTable
  private var parts: CauseCandidates

  /// The minimum share of the use that a part has, and that the rest has.
  public static let leastShare = 0.02
  /// The minimum number of events that are expected within a part.
  public static let fewestEvents = 20.0

  private let falseDiscoveries: Double
  /// The ratio up to which a part is like the rest, however certain the difference.
  private static let tolerated = 1.1
  /// The p-value at which the two features of a part must each matter.
  private static let contrast = 0.01
  /// The p-value at which a part of two features is worse than both make it.
  private static let interaction = 0.05
  private static let mostCauses = 3
  /// The number of parts, most significant first, that are also compared with like use.
  private static let mostCompared = 40

  /// `falseDiscoveries`: the false discovery rate over all parts.
  public init(_ table: CauseTable, falseDiscoveries: Double = 0.05) {
    self.table = table
    self.falseDiscoveries = falseDiscoveries
    let model = CauseModel(table.cells, causes: [])
    parts = CauseCandidates(table, means: model?.means ?? [])
    tested = parts.candidates.count
    isWorse = table.cells.first?.base == nil || (model?.common.low ?? 0) > 1
    if let model { search(model) }
  }

  private mutating func search(_ start: CauseModel) {
    var model = start
    var found: [(part: Int, pValue: Double)] = []
    var inside: [[Bool]] = []
    while found.count < Self.mostCauses, let next = best(model, inside, found.map(\.part)) {
      let own = parts.isInside(next.part)
      guard let better = CauseModel(table.cells, causes: inside + [own]),
        let ratio = better.ratio(of: inside.count).value, ratio > Self.tolerated,
        (0...inside.count).allSatisfy({ better.ratio(of: $0).low ?? 0 > 1 })
      else { break }
      found.append(next)
      inside.append(own)
      model = better
    }
    causes = found.enumerated().map { index, found in
      cause(found.part, found.pValue, model.ratio(of: index), inside[index])
    }
  }

  /// The most significant part, given the causes that are known; nil if nothing stands out. If the features of a part
  /// of two explain its events each by itself, the more significant of them is the cause.
  private mutating func best(_ model: CauseModel, _ known: [[Bool]], _ named: [Int]) -> (part: Int, pValue: Double)? {
    let scores = parts.scores(model, known).enumerated().compactMap { part, score in
      score.map { (part: part, z: $0.z, pValue: $0.pValue) }
    }
    // Only small p-values can count.
    let likely = scores.filter {
      $0.pValue < falseDiscoveries && parts.isHigher[$0.part] && !named.contains($0.part)
    }
    .sorted { ($1.z, $0.part) < ($0.z, $1.part) }.prefix(Self.mostCompared)
    var compared: [(part: Int, pValue: Double)] = []
    for score in likely { compared.append((score.part, max(score.pValue, adjusted(score.part, model)))) }
    // A second name is expected less often than a first one, so it needs more evidence.
    let rate = falseDiscoveries / Double(1 + 2 * named.count)
    let limit = compared.map(\.pValue).sorted().enumerated().last {
      $0.element <= rate * Double($0.offset + 1) / Double(tested)
    }?.element
    guard let limit else { return nil }
    let found = compared.filter { $0.pValue <= limit }
    guard let first = found.first else { return nil }
    let halves = parts.halves(of: first.part)
    if !halves.isEmpty, !isMoreThan(halves, first.part, known),
      let half = found.first(where: { halves.contains($0.part) })
    {
      return (half.part, half.pValue)
    }
    return (first.part, first.pValue)
  }

  /// Whether a part of two features is worse than both features make it.
  private func isMoreThan(_ halves: [Int], _ part: Int, _ known: [[Bool]]) -> Bool {
    let causes = known + halves.map(parts.isInside)
    guard let model = CauseModel(table.cells, causes: causes), let score = parts.scores(model, causes)[part] else {
      return true
    }
    return score.pValue < Self.interaction
  }

  /// The p-value of a part among cells with the same members of all other families; 1 for a part of two features of
  /// which one does not matter.
  private mutating func adjusted(_ part: Int, _ model: CauseModel) -> Double {
    let features = parts.candidates[part].features
    if features.count > 1 {
      for feature in features where parts.stratified(part, model, within: feature) > Self.contrast { return 1 }
    }
    return parts.stratified(part, model, within: nil)
  }

  private func cause(_ part: Int, _ pValue: Double, _ ratio: RatioInterval, _ inside: [Bool]) -> Cause {
    let events = table.cells.reduce(0) { $0 + $1.head.events }
    let own = zip(table.cells, inside).reduce(0) { $0 + ($1.1 ? $1.0.head.events : 0) }
    let eventShare = events > 0 ? own / events : 0
    let isCompared = table.cells.first?.base != nil
    return Cause(
      part: parts.candidates[part], ratio: ratio, useShare: parts.useShares[part], eventShare: eventShare,
      explained: isCompared ? RateDecomposition(table.cells, inside).explained : Self.excess(ratio, eventShare),
      pValue: pValue)
  }

  /// Without a base: the share of all events that the part has more than the rest of the use.
  public static func excess(_ ratio: RatioInterval, _ eventShare: Double) -> RatioInterval {
    func share(_ ratio: Double?) -> Double? { ratio.map { max(0, eventShare * (1 - 1 / max(1, $0))) } }
    return RatioInterval(value: share(ratio.value), low: share(ratio.low), high: share(ratio.high))
  }
}

/// The change of a rate from the base to the head, in three terms: the change within a part, the change within the rest,
/// and the change of the part's share of the use.
///
/// E. Kitagawa, "Components of a difference between two rates" (1955).
private struct RateDecomposition {
  /// The share of the whole change that comes from the change within the part; unknown if there is no increase.
  let explained: RatioInterval

  init(_ cells: [CauseTable.Cell], _ inside: [Bool]) {
    func sums(_ isInside: Bool) -> (head: EventCount, base: EventCount) {
      var (head, base) = (EventCount(events: 0, use: 0), EventCount(events: 0, use: 0))
      for (cell, own) in zip(cells, inside) where own == isInside {
        head.events += cell.head.events
        head.use += cell.head.use
        base.events += cell.base?.events ?? 0
        base.use += cell.base?.use ?? 0
      }
      return (head, base)
    }
    let (own, rest) = (sums(true), sums(false))
    let uses = (head: own.head.use + rest.head.use, base: own.base.use + rest.base.use)
    func term(_ part: (head: EventCount, base: EventCount)) -> (value: Double, variance: Double) {
      guard part.head.use > 0, part.base.use > 0 else { return (0, 0) }
      let weight = (part.head.use / uses.head + part.base.use / uses.base) / 2
      let difference = part.head.events / part.head.use - part.base.events / part.base.use
      let variance =
        part.head.events / (part.head.use * part.head.use) + part.base.events / (part.base.use * part.base.use)
      return (weight * difference, weight * weight * variance)
    }
    let (one, other) = (term(own), term(rest))
    let whole =
      (own.head.events + rest.head.events) / uses.head - (own.base.events + rest.base.events) / uses.base
    guard whole > 0 else {
      explained = RatioInterval()
      return
    }
    let share = one.value / whole
    let error = ((1 - share) * (1 - share) * one.variance + share * share * other.variance).squareRoot() / whole
    func bounded(_ value: Double) -> Double { min(1, max(0, value)) }
    explained = RatioInterval(
      value: bounded(share), low: bounded(share - 1.96 * error), high: bounded(share + 1.96 * error))
  }
}
