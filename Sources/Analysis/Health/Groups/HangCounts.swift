public import Core
import Storage

/// The reports of a group of hangs by the rule that classed them.
public struct HangCounts: Sendable, Equatable {
  /// The reports of one rule.
  public struct Part: Sendable, Equatable {
    /// The rule; nil for reports that older versions stored without one.
    public var rule: HangRule?
    public var diagnostics: Int

    public init(rule: HangRule?, diagnostics: Int) {
      self.rule = rule
      self.diagnostics = diagnostics
    }
  }

  /// The rules, most reports first; never empty.
  public var parts: [Part]

  public init(parts: [Part]) {
    self.parts = parts.sorted {
      ($0.diagnostics, $1.rule?.rawValue ?? 0) > ($1.diagnostics, $0.rule?.rawValue ?? 0)
    }
  }

  /// The number of reports of a class.
  public func count(_ wanted: HangClass) -> Int {
    parts.reduce(0) { sum, part in
      (part.rule?.hangClass ?? .unknown) == wanted ? sum.saturatingAdd(part.diagnostics) : sum
    }
  }

  /// The class with the most reports; of equal ones, the first of `HangClass.allCases` that people felt.
  public var hangClass: HangClass {
    [HangClass.ownCode, .system, .asleep, .unknown].reduce(.unknown) { count($1) > count($0) ? $1 : $0 }
  }

  /// The rule with the most reports of that class; nil if older versions stored them without one.
  public var rule: HangRule? { parts.first { $0.rule?.hangClass == hangClass }?.rule }

  /// Whether people felt none of the hangs.
  public var isOnlyAsleep: Bool { parts.allSatisfy { $0.rule?.hangClass == .asleep } }
}

extension HangCounts {
  /// The counts of each group, by id, from counts by `GroupPart.hangRule`.
  static func byGroup(_ counts: [GroupPartCount]) -> [Int64: HangCounts] {
    Dictionary(grouping: counts, by: \.group).mapValues { counts in
      HangCounts(
        parts: counts.map { Part(rule: UInt8($0.part).flatMap(HangRule.init), diagnostics: $0.diagnostics) })
    }
  }
}

extension GroupReader {
  /// The counts of hangs by their rules, for each group of a query; empty for queries of another kind.
  func hangs(_ query: GroupQuery) throws -> [Int64: HangCounts] {
    guard (query.kind ?? .hang) == .hang else { return [:] }
    var query = query
    query.kind = .hang
    return try HangCounts.byGroup(store.counts(query, by: .hangRule))
  }
}
