import GRDB
import Storage
import Telemetry

/// Names compete for the rows of their own that an app may have.
///
/// Two ways lead in. A name that is used half as much again as the weakest one takes its place. And a tenth of the names may
/// be new ones, whatever the others are used: a release of today has to be seen although names that somebody repeats without
/// end have all the room. What came last is the first of these, and for a day only what came later still takes its place.
extension Interner {
  /// The fewest payloads of a name that is let in because it is used more, or because it is new.
  private static let fewestUses = 2.0
  private static let fewestOfNew = 3.0

  /// Lets in who has earned it among the names that this batch used, and says whether anything changed.
  mutating func admit(in database: Database) throws -> Bool {
    var hasChanged = false
    for scope in newcomers.scopes {
      let candidates = newcomers.candidates(in: scope, now: clock).filter { $0.uses >= Self.fewestUses }
      if candidates.isEmpty { continue }
      var contest = try Contest(scope, candidates, &self, database)
      while let (winner, loser, isNew) = contest.next() {
        try replace(loser, by: winner, isNew: isNew, in: database)
        hasChanged = true
      }
    }
    if hasChanged { cellSlices = [:] }
    return hasChanged
  }

  /// One round among the names of a scope.
  private struct Contest {
    private var strongest: [Newcomers.Candidate]
    private var newest: [Newcomers.Candidate]
    private var weakest: [(id: Int64, score: Double)]
    private var protected: [(id: Int64, first: Int64)]
    /// How many new ones may still come beside what is protected.
    private var room: Int

    init(
      _ scope: NameScope, _ candidates: [Newcomers.Candidate], _ interner: inout Interner, _ database: Database
    ) throws {
      let limits = interner.limits.names
      let now = interner.clock
      let tenures = interner.newcomers.protected(in: scope, now: now)
      let day = interner.today
      let uses = interner.uses
      strongest = Array(candidates.sorted { ($0.uses, $0.first) > ($1.uses, $1.first) }.prefix(limits.admissions))
      newest = Array(
        candidates.filter { $0.uses >= Interner.fewestOfNew && now &- $0.first < Newcomers.tenure }
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

    mutating func next() -> (winner: Newcomers.Candidate, loser: Int64, isNew: Bool)? {
      while let candidate = strongest.popLast() {
        guard let loser = weakest.last, candidate.uses >= 1.5 * loser.score else { break }
        weakest.removeLast()
        newest.removeAll { $0.key == candidate.key }
        return (candidate, loser.id, false)
      }
      strongest = []
      guard let candidate = newest.popLast() else { return nil }
      // Of what is new, only what is newer takes its place.
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
    _ loser: Int64, by winner: Newcomers.Candidate, isNew: Bool, in database: Database
  ) throws {
    let scope = winner.key.scope
    let table = NameTable(scope.kind, database)
    let score = try table.score(of: loser)?.decayed(to: today) ?? 0
    let tenure = newcomers.release(loser, in: scope)
    if let key = names.first(where: { $0.value == loser && $0.key.scope == scope })?.key {
      names[key] = nil
      // It is not new when it is heard of again.
      newcomers.wait(key, uses: score, first: tenure?.first ?? 0, now: clock)
    }
    uses.forget(NameID(kind: scope.kind, id: loser))
    retired[NameID(kind: scope.kind, id: loser)] = true
    try table.retire(loser, day: today)
    let other = try otherID(winner.key, in: database)
    try Succession(database).hand(loser, scope.kind, to: other)
    unmoved += try Succession(database).slices(of: loser, scope.kind, app: scope.app)
    let id = try table.insert(winner.key, NameScore(uses: winner.uses, day: today))
    names[winner.key] = id
    newcomers.admit(winner.key)
    if isNew { newcomers.protect(id, in: scope, first: winner.first, now: clock) }
    titles[scope.app] = nil
  }
}
