import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Sessions against a recomputation from their final states: the rules of the specification, written a second time.
struct SessionTests {
  private struct Final {
    var key: CellKey
    var outcome: SessionOutcome
    var minute: Int
    var user: UInt64?
    var day: Int { minute / 1440 }
  }

  private static let today = Scene.today.number

  private static func key(_ number: Int) -> CellKey {
    CellKey(
      app: 1, source: .native, environment: "production", release: Release(version: ["4.2.0", "4.3.0"][number % 2]),
      os: ["iOS 17.4.1", "iOS 18.0"][number / 2 % 2], model: ["iPhone15,2", "iPhone12,1"][number / 4 % 2])
  }

  /// The winner of a session's updates: crashed beats all, an explicit number beats a missing one, then the greater.
  private static func final(_ updates: [SessionRecord]) -> Final {
    let crashed = updates.filter { $0.outcome == .crashed }
    let candidates = crashed.isEmpty ? updates : crashed
    let numbered = candidates.filter(\.isSequenceExplicit)
    let last = (numbered.isEmpty ? candidates : numbered).max { $0.sequence < $1.sequence }
    let named = updates.compactMap(\.user)
    return Final(
      key: last!.key, outcome: last!.outcome, minute: updates.map(\.minute).min()!, user: last!.user ?? named.first)
  }

  /// Updates of sessions at random: several each, users that come late or never, crashes, numbers missing or not.
  private static func updates(seed: UInt64, sessions: Int, users: Int) -> [SessionRecord] {
    var random = SeededRandom(seed: seed)
    return (0..<sessions).flatMap { id -> [SessionRecord] in
      let user: UInt64? =
        Int.random(in: 0..<5, using: &random) == 0 ? nil : UInt64.random(in: 0..<UInt64(users), using: &random)
      let key = key(Int.random(in: 0..<8, using: &random))
      let start = (today - Int.random(in: 0..<3, using: &random)) * 1440 + Int.random(in: 60..<600, using: &random)
      return (0..<Int.random(in: 1...4, using: &random)).map { number in
        let isCrash = Int.random(in: 0..<12, using: &random) == 0
        return SessionRecord(
          key: key, id: UInt64(id) &* 0x9e37_79b9_7f4a_7c15,
          outcome: isCrash ? .crashed : SessionOutcome(rawValue: UInt8.random(in: 0...3, using: &random))!,
          minute: start + Int.random(in: 0..<30, using: &random), sequence: Int64(number * 10 + 1),
          isSequenceExplicit: Bool.random(using: &random),
          // The user is known from some update on.
          user: number > 0 || Bool.random(using: &random) ? user : nil,
          received: Timestamp(milliseconds: Scene.now.milliseconds + Int64(number)))
      }
    }
  }

  private static func expected(_ finals: [Final]) -> SessionTally {
    var tally = SessionTally()
    var clusters: [String: (crashed: Int64, count: Int64, isKnown: Bool)] = [:]
    for (index, session) in finals.enumerated() {
      tally[session.outcome] += 1
      let name = session.user.map { "\($0) \(session.day)" } ?? "nobody \(index)"
      clusters[name, default: (0, 0, session.user != nil)].count += 1
      if session.outcome == .crashed { clusters[name]!.crashed += 1 }
    }
    for cluster in clusters.values {
      tally.userDays.add(x: cluster.crashed, y: cluster.count)
      tally.knownUserDays += cluster.isKnown ? 1 : 0
      tally.crashedUserDays += cluster.isKnown && cluster.crashed > 0 ? 1 : 0
    }
    return tally
  }

  /// Every kind of marginal and the cells.
  private static func slices() -> [(Slice, (Final) -> Bool)] {
    var slices: [(Slice, (Final) -> Bool)] = [(Slice(), { _ in true })]
    for version in ["4.2.0", "4.3.0"] {
      slices.append((Slice(release: version), { $0.key.release.version == version }))
      for model in ["iPhone15,2", "iPhone12,1"] {
        let kind = DeviceClass.of(model: model).name
        slices.append(
          (Slice(release: version, deviceClass: kind), { $0.key.release.version == version && $0.key.model == model }))
        slices.append(
          (
            Slice(release: version, os: "iOS 18.0", device: model),
            { $0.key.release.version == version && $0.key.model == model && $0.key.os == "iOS 18.0" }
          ))
      }
    }
    for model in ["iPhone15,2", "iPhone12,1"] {
      let kind = DeviceClass.of(model: model).name
      slices.append((Slice(device: model), { $0.key.model == model }))
      slices.append((Slice(deviceClass: kind), { $0.key.model == model }))
    }
    for os in ["iOS 17.4.1", "iOS 18.0"] { slices.append((Slice(os: os), { $0.key.os == os })) }
    return slices
  }

  @Test(
    "outcomes, user-days and their moments equal a recomputation from the final states, in any order, with retries",
    arguments: [1, 2, 3] as [UInt64])
  func bruteForce(seed: UInt64) throws {
    var random = SeededRandom(seed: seed + 100)
    let updates = Self.updates(seed: seed, sessions: 150, users: 25)
    let finals = Dictionary(grouping: updates, by: \.id).values.map(Self.final)
    // Each update once in some order, a third of them a second time.
    let sent = (updates + updates.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }).shuffled(using: &random)
    let scene = try Scene()
    var rest = sent[...]
    while !rest.isEmpty {
      let size = Int.random(in: 1...60, using: &random)
      try scene.apply(sessions: Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    for (slice, holds) in Self.slices() {
      for day in 0..<3 {
        let window = Window(days: 1, endingOn: Scene.today - day)
        let found = try scene.rows(slice, window, metrics: ["sessions"]).sessions
        let wanted = Self.expected(finals.filter { holds($0) && $0.day == Self.today - day })
        #expect(found == wanted, "\(slice) on day −\(day)")
        #expect(SessionOutcome.allCases.reduce(0) { $0 + found[$1] } == found.total)
      }
    }
  }

  @Test("users of a day are the distinct users of its sessions, with crashed ones separate, in every marginal")
  func users() throws {
    let updates = Self.updates(seed: 9, sessions: 200, users: 30)
    let finals = Dictionary(grouping: updates, by: \.id).values.map(Self.final)
    let scene = try Scene()
    try scene.apply(sessions: updates)
    for (slice, holds) in Self.slices() where slice.os == nil || slice.release == nil {
      for day in 0..<3 {
        let own = finals.filter { holds($0) && $0.day == Self.today - day }
        let rows = try scene.rows(slice, Window(days: 1, endingOn: Scene.today - day), metrics: ["users"])
        guard case .users(let found)? = rows.first?.aggregate else {
          #expect(own.allSatisfy { $0.user == nil })
          continue
        }
        #expect(rows.count == 1)
        #expect(found.all.estimate == Set(own.compactMap(\.user)).count, "\(slice)")
        #expect(found.crashed.estimate == Set(own.filter { $0.outcome == .crashed }.compactMap(\.user)).count)
      }
    }
  }

  private static func record(
    _ outcome: SessionOutcome, sequence: Int64, explicit: Bool = true, minute: Int = 600, user: UInt64? = nil,
    release: Int = 0, daysLater: Int = 0
  ) -> SessionRecord {
    SessionRecord(
      key: key(release), id: 77, outcome: outcome, minute: today * 1440 + minute, sequence: sequence,
      isSequenceExplicit: explicit, user: user,
      received: Timestamp(milliseconds: Scene.now.milliseconds + Int64(daysLater) * 86_400_000))
  }

  /// The outcome that is counted after each of the orders of `updates`; nil when orders differ.
  private static func outcome(_ updates: [SessionRecord]) throws -> SessionOutcome? {
    var outcomes: Set<SessionOutcome> = []
    for order in [updates, updates.reversed()] {
      for isOneBatch in [true, false] {
        let scene = try Scene()
        if isOneBatch {
          try scene.apply(sessions: order)
        } else {
          for update in order { try scene.apply(sessions: [update]) }
        }
        let tally = try scene.rows(metrics: ["sessions"]).sessions
        #expect(tally.total == 1)
        outcomes.formUnion(SessionOutcome.allCases.filter { tally[$0] == 1 })
      }
    }
    return outcomes.count == 1 ? outcomes.first : nil
  }

  @Test("the update with the larger number wins, in any order")
  func greaterNumber() throws {
    #expect(try Self.outcome([Self.record(.errored, sequence: 1), Self.record(.healthy, sequence: 2)]) == .healthy)
  }

  @Test("an explicit number beats a missing one, whose time in milliseconds is far larger")
  func explicitBeatsMissing() throws {
    #expect(
      try Self.outcome([
        Self.record(.abnormal, sequence: 3), Self.record(.healthy, sequence: 1_795_168_950_000, explicit: false),
      ]) == .abnormal)
  }

  @Test("a crashed update of a session wins over a later explicit one")
  func crashedBeatsAll() throws {
    #expect(
      try Self.outcome([
        Self.record(.crashed, sequence: 1, explicit: false), Self.record(.healthy, sequence: 99),
      ]) == .crashed)
  }

  @Test("a crash without a start counts as a session, and a later start changes no number")
  func crashWithoutStart() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(.crashed, sequence: 5, minute: 610)])
    #expect(try scene.rows(metrics: ["sessions"]).sessions[.crashed] == 1)
    try scene.apply(sessions: [Self.record(.healthy, sequence: 1, minute: 600)])
    let tally = try scene.rows(metrics: ["sessions"]).sessions
    #expect(tally[.crashed] == 1)
    #expect(tally.total == 1)
  }

  @Test("a session that turns out to have started the day before moves there with its user-day")
  func startedEarlier() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(.healthy, sequence: 1, minute: 5, user: 4)])
    try scene.apply(sessions: [Self.record(.healthy, sequence: 2, minute: -5)])
    let today = try scene.rows(Slice(), Window(days: 1, endingOn: Scene.today), metrics: ["sessions"]).sessions
    #expect(today == SessionTally())
    let yesterday = try scene.rows(Slice(), Window(days: 1, endingOn: Scene.today - 1), metrics: ["sessions"]).sessions
    #expect(yesterday.total == 1)
    #expect(yesterday.knownUserDays == 1)
  }

  @Test("a user who becomes known later turns a session without a user into a user-day")
  func lateUser() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(.healthy, sequence: 1)])
    #expect(try scene.rows(metrics: ["sessions"]).sessions.knownUserDays == 0)
    try scene.apply(sessions: [Self.record(.crashed, sequence: 2, user: 9)])
    let tally = try scene.rows(metrics: ["sessions"]).sessions
    #expect(tally.knownUserDays == 1)
    #expect(tally.crashedUserDays == 1)
    #expect(tally.userDays.clusters == 1)
    // A later update without the user forgets nobody.
    try scene.apply(sessions: [Self.record(.crashed, sequence: 3)])
    #expect(try scene.rows(metrics: ["sessions"]).sessions.knownUserDays == 1)
  }

  @Test("an update from another release moves the session there, and the total stays one")
  func movesRelease() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(.healthy, sequence: 1, user: 1, release: 0)])
    try scene.apply(sessions: [Self.record(.healthy, sequence: 2, user: 1, release: 1)])
    #expect(try scene.rows(Slice(release: "4.2.0"), metrics: ["sessions"]).sessions == SessionTally())
    #expect(try scene.rows(Slice(release: "4.3.0"), metrics: ["sessions"]).sessions.total == 1)
    #expect(try scene.rows(metrics: ["sessions"]).sessions.total == 1)
  }

  @Test("of two equally large updates the same one wins, whichever came first", arguments: [true, false])
  func ties(isReversed: Bool) throws {
    let scene = try Scene()
    let updates = [
      Self.record(.healthy, sequence: 1, user: 1, release: 0), Self.record(.healthy, sequence: 1, user: 2, release: 1),
    ]
    for update in isReversed ? updates.reversed() : updates { try scene.apply(sessions: [update]) }
    #expect(try scene.rows(Slice(release: "4.3.0"), metrics: ["sessions"]).sessions.total == 1)
    #expect(try scene.rows(Slice(release: "4.2.0"), metrics: ["sessions"]).isEmpty)
  }

  @Test("a session that moves takes its user along to another user, release, environment or day")
  func userMoves() throws {
    let users = { (scene: Scene, slice: Slice) in
      try scene.rows(slice, metrics: ["users"]).reduce(into: UserTally()) { sum, row in
        if case .users(let part) = row.aggregate { sum.merge(part) }
      }
    }
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(.crashed, sequence: 1, user: 1, release: 0)])
    try scene.apply(sessions: [Self.record(.crashed, sequence: 2, minute: -5, user: 2, release: 1)])
    let all = try users(scene, Slice())
    #expect(all.all.estimate == 1 && all.crashed.estimate == 1)
    #expect(try users(scene, Slice(release: "4.2.0")) == UserTally())
    #expect(try users(scene, Slice(release: "4.3.0")).crashed.estimate == 1)
    #expect(try scene.rows(Slice(release: "4.2.0")).isEmpty, "no empty row is left behind")
    #expect(try scene.store.inventory(of: 1).releases.map(\.release.version) == ["4.3.0"])
  }

  @Test("a session is forgotten fourteen days after its last receipt, and an update is then new and counted as late")
  func forgotten() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(.healthy, sequence: 1)])
    let days = { Timestamp(milliseconds: Scene.now.milliseconds + $0 * 86_400_000) }
    try scene.store.compact(now: days(14))
    try scene.apply(sessions: [Self.record(.errored, sequence: 2, daysLater: 14)])
    #expect(try scene.rows(metrics: ["sessions"]).sessions.total == 1)
    // Its last receipt counts, not its first.
    try scene.store.compact(now: days(28))
    try scene.apply(sessions: [Self.record(.errored, sequence: 3, daysLater: 28)])
    #expect(try scene.rows(metrics: ["sessions"]).sessions.total == 1)
    try scene.store.compact(now: days(43))
    try scene.apply(sessions: [Self.record(.crashed, sequence: 4, daysLater: 43)])
    #expect(try scene.rows(metrics: ["sessions"]).sessions.total == 2)
    let tallies = try scene.store.tallies(of: 1, in: Window(days: 100, endingOn: Scene.today + 60))
    #expect(tallies.filter { $0.kind == .lateSession }.map(\.count) == [1])
  }

  @Test("a session updated after its fine row became an hour changes no day's number")
  func updatedAfterCompaction() throws {
    let scene = try Scene()
    try scene.apply(sessions: [Self.record(.healthy, sequence: 1, user: 3)])
    try scene.store.compact(now: Timestamp(milliseconds: Scene.now.milliseconds + 5 * 86_400_000))
    try scene.apply(sessions: [Self.record(.crashed, sequence: 2, user: 3, daysLater: 6)])
    let tally = try scene.rows(Slice(), Window(days: 1, endingOn: Scene.today), metrics: ["sessions"]).sessions
    #expect(tally.total == 1)
    #expect(tally[.crashed] == 1)
    #expect(tally.crashedUserDays == 1)
  }

  @Test("a remembered session takes about 110 bytes of plumb.db")
  func size() throws {
    let scene = try Scene()
    var random = SeededRandom(seed: 110)
    for _ in 0..<4 {
      let sessions = (0..<5_000).map { number in
        SessionRecord(
          key: Self.key(number), id: random.next(), outcome: .healthy, minute: Self.today * 1440 + number % 1440,
          sequence: Scene.now.milliseconds + Int64(number), isSequenceExplicit: false, user: random.next(),
          received: Scene.now)
      }
      try scene.apply(sessions: sessions)
    }
    let tables = "('session', 'session_received', 'session_user_day')"
    let bytes = try SQLFile.number(
      "SELECT sum(pgsize) FROM dbstat WHERE name IN \(tables)", in: scene.path("plumb.db"))
    let each = try #require(bytes) / 20_000
    #expect((95...125).contains(each), "\(each)")
  }
}
