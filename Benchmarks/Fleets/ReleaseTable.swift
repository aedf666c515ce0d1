public import Statistics

/// The whole table of a comparison, from what two releases sent.
public struct ReleaseTable: Sendable {
  /// A metric and how the releases differ in it; nil where that cannot be told.
  public struct Row: Sendable {
    public var name: String
    public var difference: Difference?
    /// Of crashes: without three users who crashed it is not believed.
    var isShare: Bool
  }

  public typealias Part = ReleaseFleet.Part

  public private(set) var rows: [Row]
  /// Users with a crash on the release that has more of them.
  private let crashedUsers: Int

  public init(base: [Part], head: [Part]) {
    crashedUsers = max(returning(base).crashedUsers, returning(head).crashedUsers)
    rows = [
      Row(name: "launch", difference: Self.quantiles(base, head, 0.9, \.launches), isShare: false),
      Row(name: "screen", difference: Self.quantiles(base, head, 0.9, \.screens), isShare: false),
      Row(name: "memory", difference: Self.quantiles(base, head, 0.9, \.memory, alone: true), isShare: false),
      Row(name: "hangs", difference: Self.rates(base, head, \.hangs), isShare: false),
      Row(name: "sessions", difference: Self.shares(base, head, \.sessions), isShare: true),
      Row(name: "user-days", difference: Self.shares(base, head, \.userDays), isShare: true),
    ]
  }

  /// Names of the metrics that are called better or worse, with a plus or minus sign.
  public var differing: [String] {
    zip(rows, FalseDiscovery.rejected(rows.map { $0.difference?.pValue }, rate: 0.05)).compactMap { row, isReal in
      guard isReal, let difference = row.difference, !row.isShare || crashedUsers >= 3 else { return nil }
      return (difference.value > 0 ? "+" : "-") + row.name
    }
  }

  private static func quantiles(
    _ base: [Part], _ head: [Part], _ p: Double, _ path: KeyPath<Part, [Histogram]>, alone: Bool = false
  ) -> Difference? {
    func effects(_ parts: [Part]) -> [DesignEffect] {
      DesignEffect.forStrata(
        parts.map { $0[keyPath: path].merged }, phones: parts.map { PhoneUse($0[keyPath: path]) },
        oneValuePerCluster: alone)
    }
    let (ours, theirs) = (effects(base), effects(head))
    let strata = base.indices.compactMap { kind -> Stratum<ComparableEstimate>? in
      let readers = (
        HistogramReader(base[kind][keyPath: path].merged), HistogramReader(head[kind][keyPath: path].merged)
      )
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
    func alone(_ parts: [Part]) -> DesignEffect {
      var sum = PairSum()
      for part in parts { sum.merge(part[keyPath: path]) }
      return DesignEffect.forRatio(k: Double(sum.x), n: Double(sum.y), moments: sum)
    }
    let effects = DesignEffect.forShares(base: alone(base), returning(base), head: alone(head), returning(head))
    let (ours, theirs) = (effects.base.value, effects.head.value)
    let strata = zip(base, head).map { one, other in
      let counts = [(one, ours), (other, theirs)].map { part, deff in
        ShareCount(k: Double(part[keyPath: path].x), n: Double(part[keyPath: path].y), deff: deff)
      }
      return Stratum(base: counts[0], head: counts[1], baseSize: counts[0].n, headSize: counts[1].n)
    }
    return Difference.shares(strata)
  }
}

private func returning(_ parts: [ReleaseFleet.Part]) -> ReturningUsers {
  var sum = ReturningUsers()
  for part in parts { sum.merge(part.returning) }
  return sum
}

extension [Histogram] {
  /// All days together.
  fileprivate var merged: Histogram {
    var total = Histogram(scheme: .logarithmic)
    for day in self { total.merge(day) }
    return total
  }
}
