import Foundation
import Storage

/// The use of a name: a number of payloads that decays with a half-life of a week.
struct NameScore: Equatable {
  private(set) var uses: Double
  private(set) var day: Int

  static let halfLife = 7.0

  init(uses: Double, day: Int) {
    // A damaged row must not result in a name that can never be replaced.
    self.uses = uses.isFinite ? max(0, uses) : 0
    self.day = day
  }

  /// The score, decayed to a later day.
  func decayed(to later: Int) -> Double {
    let days = max(0, Double(later) - Double(day))
    return uses * exp2(-days / Self.halfLife)
  }

  mutating func add(_ more: Double, on today: Int) {
    uses = decayed(to: today) + more
    day = max(day, today)
  }
}

/// The scores of names in use. A score is written only if it has grown notably or a new day has begun.
struct NameScores {
  private var scores: [NameID: NameScore] = [:]
  private var written: [NameID: NameScore] = [:]
  private var unsaved: [NameID: Double] = [:]

  /// The maximum number of scores in memory; all are also in the database.
  private static let most = 40_000

  mutating func add(_ uses: Double, to name: NameID) { unsaved[name, default: 0] += uses }

  /// The score of a name, including uses that are not yet written.
  func score(of name: NameTable.Standing, _ kind: NameKind, on day: Int) -> Double {
    let id = NameID(kind: kind, id: name.id)
    return (scores[id] ?? name.score).decayed(to: day) + (unsaved[id] ?? 0)
  }

  mutating func forget(_ name: NameID) {
    scores[name] = nil
    written[name] = nil
    unsaved[name] = nil
  }

  /// Writes scores that have grown by a quarter or were not yet written today.
  mutating func save(on day: Int, _ table: (NameKind) -> NameTable) throws {
    for (name, uses) in unsaved {
      let table = table(name.kind)
      guard var score = try scores[name] ?? table.score(of: name.id) else { continue }
      score.add(uses, on: day)
      scores[name] = score
      if let before = written[name], before.day == score.day, score.uses < before.uses * 1.25 { continue }
      try table.write(score, of: name.id)
      written[name] = score
    }
    unsaved.removeAll(keepingCapacity: true)
    if scores.count > Self.most {
      scores = [:]
      written = [:]
    }
  }
}
