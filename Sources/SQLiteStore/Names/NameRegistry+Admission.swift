import Core
import GRDB
import Storage

/// The admission of new names when an app has reached its limit of names.
///
/// A name replaces the least used one if its use is one and a half times as high. In addition, a tenth of the names may
/// be new ones regardless of use, because a release of today must be visible even if made-up names fill the scope. The
/// newest of these are admitted first, and for a day only a newer name can replace them.
extension NameRegistry {
  /// The minimum number of uses for an admission by use.
  private static let fewestUses = 2.0
  /// The minimum number of uses for an admission as a new name.
  private static let fewestOfNew = 3.0

  /// Admits names that this batch used. Returns whether any were admitted.
  mutating func admit(in database: Database) throws -> Bool {
    var hasChanged = false
    for scope in waitingNames.scopes {
      let candidates = waitingNames.candidates(in: scope, now: clock).filter { $0.uses >= Self.fewestUses }
      if candidates.isEmpty { continue }
      var round = try AdmissionRound(scope, candidates, &self, database)
      while let (winner, loser, isNew) = round.next() {
        try replace(loser, by: winner, isNew: isNew, in: database)
        hasChanged = true
      }
    }
    if hasChanged { cellSlices = [:] }
    return hasChanged
  }

  /// The admissions of names in one scope in a batch.
  private struct AdmissionRound {
    private var strongest: [FrequentNameCandidates.Candidate]
    private var newest: [FrequentNameCandidates.Candidate]
    private var weakest: [(id: Int64, score: Double)]
    private var protected: [(id: Int64, first: Int64)]
    /// The number of additional new names that may be admitted as protected.
    private var room: Int

    init(
      _ scope: NameScope, _ candidates: [FrequentNameCandidates.Candidate], _ registry: inout NameRegistry,
      _ database: Database
    ) throws {
      let limits = registry.limits.names
      let now = registry.clock
      let tenures = registry.waitingNames.protected(in: scope, now: now)
      let day = registry.today
      let uses = registry.uses
      strongest = Array(candidates.sorted { ($0.uses, $0.first) > ($1.uses, $1.first) }.prefix(limits.admissions))
      newest = Array(
        candidates.filter { $0.uses >= NameRegistry.fewestOfNew && now &- $0.first < FrequentNameCandidates.tenure }
          .sorted { ($0.first, $0.uses) > ($1.first, $1.uses) }.prefix(limits.admissions))
      let standing = try NameTable(scope.kind, database).standing(scope)
      weakest = standing.filter { tenures[$0.id] == nil }.map {
        ($0.id, $0.score, uses.score(of: $0, scope.kind, on: day))
      }
      .sorted { ($0.2, $0.1.day, $0.0) > ($1.2, $1.1.day, $1.0) }.map { ($0.0, $0.2) }
      protected = tenures.map { ($0.key, $0.value.first) }.sorted { ($0.1, $0.0) > ($1.1, $1.0) }
      room = max(1, limits.most(scope.kind) / 10) - tenures.count
      strongest.reverse()
      newest.reverse()
    }

    mutating func next() -> (winner: FrequentNameCandidates.Candidate, loser: Int64, isNew: Bool)? {
      while let candidate = strongest.popLast() {
        guard let loser = weakest.last, candidate.uses >= 1.5 * loser.score else { break }
        weakest.removeLast()
        newest.removeAll { $0.key == candidate.key }
        return (candidate, loser.id, false)
      }
      strongest = []
      guard let candidate = newest.popLast() else { return nil }
      // A protected new name is replaced only by a newer one.
      if room > 0, let loser = weakest.popLast() {
        room -= 1
        return (candidate, loser.id, true)
      }
      guard let loser = protected.last, loser.first < candidate.first else { return nil }
      protected.removeLast()
      return (candidate, loser.id, true)
    }
  }

  private mutating func replace(
    _ loser: Int64, by winner: FrequentNameCandidates.Candidate, isNew: Bool, in database: Database
  ) throws {
    let scope = winner.key.scope
    let table = NameTable(scope.kind, database)
    let score = try table.score(of: loser)?.decayed(to: today) ?? 0
    let tenure = waitingNames.release(loser, in: scope)
    if let key = names.first(where: { $0.value == loser && $0.key.scope == scope })?.key {
      names[key] = nil
      // The first use lies in the past, so that the name does not count as new when it is used again.
      waitingNames.wait(key, uses: score, first: tenure?.first ?? 0, now: clock)
    }
    uses.forget(NameID(kind: scope.kind, id: loser))
    retired[NameID(kind: scope.kind, id: loser)] = true
    try table.retire(loser, day: today)
    hasRetired = true
    let other = try otherID(winner.key, in: database)
    try RetiredNameMove(database).move(loser, scope.kind, to: other)
    unmoved += try RetiredNameMove(database).slices(of: loser, scope.kind, app: scope.app)
    let id = try table.insert(winner.key, NameScore(uses: winner.uses, day: today))
    names[winner.key] = id
    waitingNames.admit(winner.key)
    if isNew { waitingNames.protect(id, in: scope, first: winner.first, now: clock) }
    titles[scope.app] = nil
  }
}
