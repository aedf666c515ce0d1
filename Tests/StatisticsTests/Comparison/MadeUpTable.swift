import Statistics

/// The whole table of a comparison, from what two releases sent.
struct MadeUpTable {
  typealias Part = MadeUpFleet.Part

  var rows: [(name: String, difference: Difference?)] = []

  init(base: [Part], head: [Part]) {
    rows = [
      ("launch", Self.quantiles(base, head, 0.9, \.launches)),
      ("screen", Self.quantiles(base, head, 0.9, \.screens)),
      ("memory", Self.quantiles(base, head, 0.9, \.memory, alone: true)),
      ("hangs", Self.rates(base, head, \.hangs)),
      ("sessions", Self.shares(base, head, \.sessions)),
      ("user-days", Self.shares(base, head, \.userDays)),
    ]
  }

  /// Names of the metrics that are called better or worse, with a plus or minus sign.
  var differing: [String] {
    zip(rows, FalseDiscovery.rejected(rows.map { $0.difference?.pValue }, rate: 0.05)).compactMap { row, isReal in
      guard isReal, let difference = row.difference else { return nil }
      return (difference.value > 0 ? "+" : "-") + row.name
    }
  }

  private static func quantiles(
    _ base: [Part], _ head: [Part], _ p: Double, _ path: KeyPath<Part, Histogram>, alone: Bool = false
  ) -> Difference? {
    func effects(_ parts: [Part]) -> [DesignEffect] {
      DesignEffect.forStrata(
        parts.map { $0[keyPath: path] }, mostClustersOnOneDay: parts.map(\.mostPayloads), oneValuePerCluster: alone)
    }
    let (ours, theirs) = (effects(base), effects(head))
    let strata = base.indices.compactMap { kind -> Stratum<ComparableEstimate>? in
      let readers = (HistogramReader(base[kind][keyPath: path]), HistogramReader(head[kind][keyPath: path]))
      guard let one = ComparableEstimate.quantile(p, of: readers.0, effect: ours[kind]),
        let other = ComparableEstimate.quantile(p, of: readers.1, effect: theirs[kind])
      else { return nil }
      return Stratum(
        base: one, head: other, baseSize: ours[kind].nEffective, headSize: theirs[kind].nEffective)
    }
    return Difference.of(strata)
  }

  private static func rates(_ base: [Part], _ head: [Part], _ path: KeyPath<Part, PairSum>) -> Difference? {
    func estimate(_ part: Part) -> ComparableEstimate? {
      let sums = part[keyPath: path]
      let perPhone = Double(sums.clusters) / Double(max(1, part.mostPayloads))
      return .rate(sums, deff: 1 + 0.5 * (perPhone - 1))
    }
    let strata = zip(base, head).compactMap { one, other -> Stratum<ComparableEstimate>? in
      guard let ours = estimate(one), let theirs = estimate(other) else { return nil }
      return Stratum(
        base: ours, head: theirs, baseSize: Double(one[keyPath: path].y), headSize: Double(other[keyPath: path].y))
    }
    return Difference.of(strata)
  }

  private static func shares(_ base: [Part], _ head: [Part], _ path: KeyPath<Part, PairSum>) -> Difference? {
    func deff(_ parts: [Part]) -> Double {
      var sum = PairSum()
      for part in parts { sum.merge(part[keyPath: path]) }
      let returning = DesignEffect.ofReturning(
        crashedUserDays: Int(parts.reduce(0) { $0 + $1.userDays.x }),
        crashedUsers: parts.reduce(0) { $0 + $1.crashedUsers })
      return DesignEffect.forRatio(k: Double(sum.x), n: Double(sum.y), moments: sum).value * returning
    }
    let (ours, theirs) = (deff(base), deff(head))
    let strata = zip(base, head).map { one, other in
      let counts = [(one, ours), (other, theirs)].map { part, deff in
        ShareCount(k: Double(part[keyPath: path].x), n: Double(part[keyPath: path].y), deff: deff)
      }
      return Stratum(base: counts[0], head: counts[1], baseSize: counts[0].n, headSize: counts[1].n)
    }
    return Difference.shares(strata)
  }
}
