import Foundation
import Storage

/// The names that are counted as "(other)" because their scope is full, with their potential scores.
///
/// It is a bounded memory of the most frequent names after Metwally, Agrawal and El Abbadi, "Efficient Computation of
/// Frequent and Top-k Elements in Data Streams" (2005), but without inherited counts, so that no name seems more used
/// than it is. Names that are used only once displace only each other.
struct FrequentNameCandidates {
  private var waiting: [NameScope: [NameKey: Entry]] = [:]
  private var batch: [NameScope: [NameKey: Double]] = [:]
  /// The scopes of this batch with decided admissions.
  private var judged: Set<NameScope> = []
  private var tenures: [NameScope: [Int64: Tenure]] = [:]
  /// The number of batches so far.
  private var turn = 0

  private struct Entry {
    var uses: Double
    let first: Int64
    var last: Int64
    var turn: Int

    func decayed(to now: Int64) -> Double {
      uses * exp2(-Double(max(0, now &- last)) / FrequentNameCandidates.halfLife)
    }
  }

  /// A waiting name that was used in this batch, with its decayed uses so far.
  struct Candidate {
    let key: NameKey
    let uses: Double
    /// The time of the name's first use, in milliseconds since 1970.
    let first: Int64
  }

  /// The protection of a name that was admitted as new.
  struct Tenure {
    /// The time of the name's first use, in milliseconds since 1970.
    let first: Int64
    /// The time of the name's admission, in milliseconds since 1970.
    let since: Int64
  }

  private static let halfLife = 6 * 3_600_000.0
  /// The maximum number of waiting names in all scopes; beyond it all are forgotten.
  private static let mostWaiting = 30_000
  /// The time during which a name that was admitted as new cannot be replaced by a more used one, in milliseconds.
  static let tenure: Int64 = 86_400_000

  private static func most(_ kind: NameKind) -> Int { kind == .label ? 100 : 1_000 }

  /// Counts uses of a name. Returns whether it was unknown.
  mutating func note(_ key: NameKey, _ uses: Double) -> Bool {
    let isKnown = batch[key.scope]?[key] != nil || waiting[key.scope]?[key] != nil
    batch[key.scope, default: [:]][key, default: 0] += uses
    return !isKnown
  }

  /// Whether the name was used in this batch.
  func isWaiting(_ key: NameKey) -> Bool { batch[key.scope]?[key] != nil }

  /// The scopes of names used in this batch for which admission is not yet decided.
  var scopes: [NameScope] { batch.keys.filter { !judged.contains($0) } }

  /// The names of a scope that were used in this batch, with their scores including earlier batches. Marks the scope as
  /// decided, and forgets its least used waiting names beyond the limit.
  mutating func candidates(in scope: NameScope, now: Int64) -> [Candidate] {
    judged.insert(scope)
    var entries = waiting[scope] ?? [:]
    let candidates = (batch[scope] ?? [:]).map { key, uses in
      let known = entries[key]
      let total = (known?.decayed(to: now) ?? 0) + uses
      let entry = Entry(uses: total, first: known?.first ?? now, last: now, turn: turn)
      entries[key] = entry
      return Candidate(key: key, uses: total, first: entry.first)
    }
    if entries.count > Self.most(scope.kind) {
      let ranked = entries.map { (key: $0.key, rank: $0.value.decayed(to: now), turn: $0.value.turn) }
        .sorted { ($0.rank, $0.turn) > ($1.rank, $1.turn) }
      for entry in ranked.dropFirst(Self.most(scope.kind)) { entries[entry.key] = nil }
    }
    if waiting.values.reduce(entries.count, { $0 + $1.count }) > Self.mostWaiting { waiting = [:] }
    waiting[scope] = entries
    return candidates
  }

  /// Adds a retired name.
  mutating func wait(_ key: NameKey, uses: Double, first: Int64, now: Int64) {
    waiting[key.scope, default: [:]][key] = Entry(uses: uses, first: first, last: now, turn: turn)
  }

  mutating func admit(_ key: NameKey) { waiting[key.scope]?[key] = nil }

  mutating func endBatch() {
    batch = [:]
    judged = []
    turn += 1
  }

  // MARK: Names admitted as new

  mutating func protect(_ id: Int64, in scope: NameScope, first: Int64, now: Int64) {
    tenures[scope, default: [:]][id] = Tenure(first: first, since: now)
  }

  /// Ends the protection of a name and returns it; nil if it had none.
  mutating func release(_ id: Int64, in scope: NameScope) -> Tenure? { tenures[scope]?.removeValue(forKey: id) }

  /// Ends the protection of names that were deleted.
  mutating func releaseAll(_ ids: Set<Int64>, _ kind: NameKind) {
    for (scope, standing) in tenures where scope.kind == kind {
      tenures[scope] = standing.filter { !ids.contains($0.key) }
    }
  }

  mutating func protected(in scope: NameScope, now: Int64) -> [Int64: Tenure] {
    let standing = (tenures[scope] ?? [:]).filter { now &- $0.value.since < Self.tenure }
    tenures[scope] = standing.isEmpty ? nil : standing
    return standing
  }
}
