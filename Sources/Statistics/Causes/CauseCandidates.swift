/// The parts of the use that may be causes, and tests of each against the rest.
///
/// Everything is held in arrays by index, because an app may have tens of thousands of cells, each in dozens of parts.
struct CauseCandidates {
  /// The parts with enough use and expected events. Of parts with the same cells, only the simplest is among them.
  private(set) var candidates: [CausePart] = []
  /// The share of each candidate of the head's use.
  private(set) var useShares: [Double] = []
  /// Whether each candidate has a higher rate on the head than on the base; always true without a base.
  private(set) var isHigher: [Bool] = []

  private let table: CauseTable
  /// The features with enough use, and the candidate of each feature or pair of features; -1 for none.
  private var features: [CausePart.Feature] = []
  private var candidateByPair: [Int] = []
  /// The features of each cell, as indices of `features`.
  private var own: [[Int]] = []
  /// The results of `strata(without:)`, which only some sets of families need.
  private var strata: [Int: (index: [Int], count: Int)] = [:]

  /// - Parameter means: the expected events of each cell, if there is no cause; empty without enough events.
  init(_ table: CauseTable, means: [Double]) {
    self.table = table
    guard !means.isEmpty else { return }
    let all = table.cells.reduce(0) { $0 + $1.use }
    var uses = table.families.map { [Double](repeating: 0, count: $0.featureCount) }
    for cell in table.cells {
      for family in uses.indices {
        for feature in table.features(of: cell, family) { uses[family][feature] += cell.use }
      }
    }
    var known = uses.map { [Int](repeating: -1, count: $0.count) }
    for family in uses.indices {
      for (index, use) in uses[family].enumerated() where use >= CauseSearch.leastShare * all {
        known[family][index] = features.count
        features.append(CausePart.Feature(family: family, index: index))
      }
    }
    own = table.cells.map { cell in
      known.indices.flatMap { family in
        table.features(of: cell, family).map { known[family][$0] }.filter { $0 >= 0 }
      }
    }
    findCandidates(means, all)
  }

  private mutating func findCandidates(_ means: [Double], _ all: Double) {
    let count = features.count
    struct Sum {
      var use = 0.0
      var mean = 0.0
      /// The same for parts with the same cells, and for no others.
      var identity: UInt64 = 0
      var head = EventCount(events: 0, use: 0)
      var base = EventCount(events: 0, use: 0)
    }
    var sums = [Sum](repeating: Sum(), count: count * count)
    for (index, cell) in table.cells.enumerated() {
      let mark = Self.mark(of: index)
      forEachPair(of: index) { pair in
        sums[pair].use += cell.use
        sums[pair].mean += means[index]
        sums[pair].identity &+= mark
        sums[pair].head.events += cell.head.events
        sums[pair].head.use += cell.head.use
        sums[pair].base.events += cell.base?.events ?? 0
        sums[pair].base.use += cell.base?.use ?? 0
      }
    }
    candidateByPair = [Int](repeating: -1, count: count * count)
    // Single features come first, so that of parts with the same cells the simplest is kept.
    let pairs = (0..<count).map { $0 * count + $0 } + sums.indices.filter { $0 / count < $0 % count }
    var seen: Set<UInt64> = []
    for pair in pairs {
      let share = sums[pair].use / all
      guard share >= CauseSearch.leastShare, share <= 1 - CauseSearch.leastShare,
        sums[pair].mean >= CauseSearch.fewestEvents,
        seen.insert(sums[pair].identity).inserted
      else { continue }
      candidateByPair[pair] = candidates.count
      let (one, other) = (features[pair / count], features[pair % count])
      candidates.append(CausePart(one == other ? [one] : [one, other]))
      useShares.append(share)
      let (head, base) = (sums[pair].head, sums[pair].base)
      isHigher.append(base.use == 0 || head.events * base.use > base.events * head.use)
    }
  }

  /// A fixed pseudo-random number of a cell: the mixing function of SplitMix64 (G. Steele et al., 2014).
  private static func mark(of index: Int) -> UInt64 {
    var mixed = (UInt64(truncatingIfNeeded: index) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Passes every feature of a cell, and every pair of features that a part may combine, as an index.
  private func forEachPair(of cell: Int, _ body: (Int) -> Void) {
    let (mine, count) = (own[cell], features.count)
    for (place, one) in mine.enumerated() {
      body(one * count + one)
      for other in mine[(place + 1)...] where table.combines(features[one].family, features[other].family) {
        body(one * count + other)
      }
    }
  }

  /// The strata of a set of families, as a bit mask: an index for each cell, the same for cells with the same members of
  /// all other families.
  private mutating func strata(without mask: Int) -> (index: [Int], count: Int) {
    if let known = strata[mask] { return known }
    var (index, count) = ([Int](repeating: 0, count: table.cells.count), min(1, table.cells.count))
    for family in table.families.indices where mask >> family & 1 == 0 {
      let members = table.families[family].features.count
      guard members > 1 else { continue }
      var known: [Int: Int] = [:]
      known.reserveCapacity(count)
      for cell in index.indices {
        let key = index[cell] * members + table.cells[cell].members[family]
        let next = known.count
        index[cell] = known[key] ?? next
        if index[cell] == next { known[key] = next }
      }
      count = known.count
    }
    strata[mask] = (index, count)
    return (index, count)
  }
}

extension CauseCandidates {
  /// The two candidates of single features whose intersection a candidate is; empty for a single feature, and if one of
  /// them is no candidate.
  func halves(of candidate: Int) -> [Int] {
    let own = candidates[candidate].features
    guard own.count > 1 else { return [] }
    let halves = own.compactMap { feature in candidates.firstIndex { $0.features == [feature] } }
    return halves.count == own.count ? halves : []
  }

  /// Whether each cell lies within a candidate.
  func isInside(_ candidate: Int) -> [Bool] { isInside(candidates[candidate].features) }

  private func isInside(_ features: [CausePart.Feature]) -> [Bool] {
    var inside = [Bool](repeating: true, count: table.cells.count)
    for feature in features {
      let isMember = table.families[feature.family].features.map { $0.contains(feature.index) }
      for (index, cell) in table.cells.enumerated() where !isMember[cell.members[feature.family]] {
        inside[index] = false
      }
    }
    return inside
  }

  /// The score of each candidate against all other use, in standard deviations, and its one-sided p-value; nil without
  /// variance. `known`: for each known cause, whether each cell is inside.
  func scores(_ model: CauseModel, _ known: [[Bool]]) -> [(z: Double, pValue: Double)?] {
    let width = known.count + 1
    var sums = [CauseDeviation](repeating: CauseDeviation(), count: candidates.count)
    var variances = [Double](repeating: 0, count: candidates.count * width)
    var all = CauseDeviation()
    for (index, cell) in table.cells.enumerated() {
      all.add(cell, model.means[index])
      forEachPair(of: index) { pair in
        let candidate = candidateByPair[pair]
        guard candidate >= 0 else { return }
        sums[candidate].add(cell, model.means[index])
        variances[candidate * width] += model.variances[index]
        for cause in known.indices where known[cause][index] {
          variances[candidate * width + cause + 1] += model.variances[index]
        }
      }
    }
    return candidates.indices.map { candidate in
      let variance = model.scoreVariance(Array(variances[candidate * width..<(candidate + 1) * width]))
      guard variance > 1e-9 else { return nil }
      let own = sums[candidate]
      return (own.excess / variance.squareRoot(), own.pValue(rest: all.without(own), variance))
    }
  }

  /// The p-value of a candidate against other use with the same members of all families that it does not name.
  ///
  /// - Parameter feature: one of its features, to which the test is restricted: does the other one matter?
  mutating func stratified(_ candidate: Int, _ model: CauseModel, within feature: CausePart.Feature?) -> Double {
    let part = candidates[candidate].features
    let strata = strata(without: part.reduce(0) { $0 | 1 << $1.family })
    let isOwn = isInside(part)
    let isCompared = feature.map { isInside([$0]) }
    var own = [CauseDeviation](repeating: CauseDeviation(), count: strata.count)
    var all = own
    var variances = [(own: Double, all: Double)](repeating: (0, 0), count: strata.count)
    for (index, cell) in table.cells.enumerated() {
      if let isCompared, !isCompared[index] { continue }
      let stratum = strata.index[index]
      all[stratum].add(cell, model.means[index])
      variances[stratum].all += model.variances[index]
      guard isOwn[index] else { continue }
      own[stratum].add(cell, model.means[index])
      variances[stratum].own += model.variances[index]
    }
    var (inside, outside, variance) = (CauseDeviation(), CauseDeviation(), 0.0)
    for stratum in 0..<strata.count {
      let (mine, whole) = variances[stratum]
      guard mine > 0, whole - mine > 1e-12 * whole else { continue }
      let share = mine / whole
      // What the part has more than its share of what the whole stratum has more than expected.
      var difference = own[stratum]
      difference.excess -= share * all[stratum].excess
      inside.merge(difference)
      outside.merge(all[stratum].without(own[stratum]))
      variance += mine * (1 - share)
    }
    return variance > 1e-9 ? inside.pValue(rest: outside, variance) : 1
  }
}

/// The events of some cells beyond the expected ones, and the expected events of both sides.
struct CauseDeviation {
  /// The head's events minus the expected ones.
  var excess = 0.0
  /// The expected events of the head.
  private var head = 0.0
  /// The expected events of the base; infinite without a base.
  private var base = 0.0

  mutating func add(_ cell: CauseTable.Cell, _ mean: Double) {
    excess += cell.events - mean
    head += mean
    base += cell.total.map { $0 - mean } ?? .infinity
  }

  mutating func merge(_ other: CauseDeviation) {
    excess += other.excess
    head += other.head
    base += other.base
  }

  func without(_ other: CauseDeviation) -> CauseDeviation {
    var rest = self
    rest.excess -= other.excess
    rest.head -= other.head
    rest.base = base.isFinite ? base - other.base : .infinity
    return rest
  }

  /// The probability of at least this excess, given the variance of the head's events.
  ///
  /// The head's events in the part, given all totals, are nearly hypergeometric. They are taken as binomial with the same
  /// variance and skewness, which is right even for a handful of events, unlike the normal distribution. Half of the
  /// probability of exactly this number is counted.
  func pValue(rest: CauseDeviation, _ variance: Double) -> Double {
    guard excess > 0, variance > 0, head > 0, rest.head > 0 else { return 1 }
    let isCompared = base.isFinite && rest.base.isFinite
    let inside = isCompared ? head + base : head
    let all = inside + (isCompared ? rest.head + rest.base : rest.head)
    let headShare = isCompared ? (head + rest.head) / all : 0
    let share = min(1 - 1e-6, max(1e-6, (1 - (1 - 2 * inside / all) * (1 - 2 * headShare)) / 2))
    let trials = variance / (share * (1 - share))
    func atLeast(_ count: Double) -> Double {
      count < trials + 1 ? SpecialFunctions.regularizedIncompleteBeta(share, count, trials - count + 1) : 0
    }
    let count = trials * share + excess
    return (atLeast(count) + atLeast(count + 1)) / 2
  }
}

extension CauseTable {
  fileprivate func features(of cell: Cell, _ family: Int) -> [Int] { families[family].features[cell.members[family]] }
}
