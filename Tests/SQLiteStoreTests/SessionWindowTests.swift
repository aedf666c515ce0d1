import Testing
import TestSupport

@testable import Core
@testable import SQLiteStore
@testable import Statistics
@testable import Storage

/// Windows and slices against a dictionary of sessions: late updates move sessions between days and releases.
struct SessionWindowTests {
  /// What the newest updates so far say of a session.
  private struct Model {
    var updates: [SessionRecord] = []

    /// Crashed first, then numbered, then the greatest number, then the graver outcome.
    var winner: SessionRecord {
      updates.sorted { left, right in
        let ours = (left.outcome == .crashed ? 1 : 0, left.isSequenceExplicit ? 1 : 0)
        let theirs = (right.outcome == .crashed ? 1 : 0, right.isSequenceExplicit ? 1 : 0)
        if ours != theirs { return ours > theirs }
        if left.sequence != right.sequence { return left.sequence > right.sequence }
        return left.outcome.rawValue > right.outcome.rawValue
      }[0]
    }

    var day: Int { updates.map(\.minute).min()! / 1440 }
    /// That of the greatest update that names one.
    var user: UInt64? {
      let grade = { (update: SessionRecord) in
        (update.outcome == .crashed ? 2 : 0) + (update.isSequenceExplicit ? 1 : 0)
      }
      return updates.filter { $0.user != nil }
        .max { (grade($0), $0.sequence, $0.user!) < (grade($1), $1.sequence, $1.user!) }?.user
    }
    var environment: String { winner.key.environment }
  }

  private struct UserDay: Hashable {
    var user: UInt64
    var day: Int
    var version: String
    var model: String
    var os: String
    var isCrashed: Bool
  }

  private static let today = Scene.today.number
  private static let versions = ["4.2.0", "4.3.0"]
  private static let models = ["iPhone15,2", "iPhone12,1"]
  private static let systems = ["iOS 17.4.1", "iOS 18.0"]

  private static func updates(seed: UInt64) -> [SessionRecord] {
    var random = SeededRandom(seed: seed)
    return (0..<120).flatMap { id -> [SessionRecord] in
      let user: UInt64? = id % 6 == 0 ? nil : UInt64.random(in: 1...20, using: &random)
      let model = models[id % 2]
      let system = systems[id / 2 % 2]
      let midnight = (today - Int.random(in: 0..<12, using: &random)) * 1440
      let sequences = Array(1...40).shuffled(using: &random)
      return (0..<Int.random(in: 1...4, using: &random)).map { number in
        SessionRecord(
          key: CellKey(
            app: 1, source: .native, environment: "production",
            // A tenth of all updates comes from the other release.
            release: Release(
              version: versions[Int.random(in: 0..<10, using: &random) == 0 ? 1 - id / 4 % 2 : id / 4 % 2]),
            os: system, model: model),
          id: UInt64(id + 1) &* 0x9e37_79b9_7f4a_7c15,
          outcome: SessionOutcome(rawValue: UInt8.random(in: 0...4, using: &random))!,
          // Around midnight: an update can move its session to the day before.
          minute: midnight + Int.random(in: -40..<40, using: &random), sequence: Int64(sequences[number]),
          isSequenceExplicit: Bool.random(using: &random),
          // A tenth of the named users is somebody else.
          user: Bool.random(using: &random)
            ? user.map { Int.random(in: 0..<10, using: &random) == 0 ? $0 + 20 : $0 } : nil,
          received: Timestamp(milliseconds: Scene.now.milliseconds + Int64(number) * 3_600_000))
      }
    }
  }

  private static let slices = [
    Slice(), Slice(release: "4.2.0"), Slice(release: "4.3.0"), Slice(os: "iOS 18.0"), Slice(device: "iPhone12,1"),
    Slice(deviceClass: DeviceClass.of(model: "iPhone15,2").name),
    Slice(release: "4.3.0", deviceClass: DeviceClass.of(model: "iPhone12,1").name),
    Slice(release: "4.2.0", os: "iOS 17.4.1", device: "iPhone15,2"),
  ]

  private static let windows = [
    Window(days: 28, endingOn: Scene.today), Window(days: 3, endingOn: Scene.today),
    Window(days: 7, endingOn: Scene.today - 2), Window(days: 1, endingOn: Scene.today - 4),
  ]

  private static func holds(_ slice: Slice, version: String, model: String, os: String) -> Bool {
    (slice.release ?? version) == version && (slice.device ?? model) == model && (slice.os ?? os) == os
      && (slice.deviceClass ?? DeviceClass.of(model: model).name) == DeviceClass.of(model: model).name
  }

  @Test(
    "outcomes, user-days and users of any window and slice equal those of a dictionary of sessions",
    arguments: [11, 12, 13, 14, 15] as [UInt64])
  func bruteForce(seed: UInt64) throws {
    var random = SeededRandom(seed: seed + 100)
    let scene = try Scene()
    var sessions: [UInt64: Model] = [:]
    var rest = Self.updates(seed: seed).shuffled(using: &random)[...]
    while !rest.isEmpty {
      let batch = Array(rest.prefix(Int.random(in: 1...40, using: &random)))
      rest = rest.dropFirst(batch.count)
      try scene.apply(sessions: batch)
      for update in batch { sessions[update.id, default: Model()].updates.append(update) }
      if Int.random(in: 0..<4, using: &random) == 0 { try scene.store.compact(now: Scene.now) }
    }
    let all = Array(sessions.values)
    let seen = Set(all.compactMap(Self.userDay))
    for slice in Self.slices {
      for window in Self.windows { try compare(scene, slice, window, all, seen) }
    }
    try compareLives(scene, all)
    try compareDays(scene)
  }

  /// Read by the day, every slice has the very numbers that its finest rows add up to.
  private func compareDays(_ scene: Scene) throws {
    struct Key: Hashable {
      let metric: MetricReference
      let source: Source
      let day: CalendarDay
    }
    func sums(_ slice: Slice, _ window: Window, _ bins: RowQuery.Bins) throws -> [Key: Aggregate] {
      try scene.store.rows(RowQuery(app: 1, slice: slice, window: window, bins: bins)).reduce(into: [:]) { sums, row in
        sums[Key(metric: row.metric, source: row.source, day: row.bin.day)] =
          sums[Key(metric: row.metric, source: row.source, day: row.bin.day)].map { sum in
            var sum = sum
            sum.merge(row.aggregate)
            return sum
          } ?? row.aggregate
      }
    }
    for slice in Self.slices {
      for window in Self.windows {
        #expect(try sums(slice, window, .days) == sums(slice, window, .finest), "\(slice), \(window)")
      }
    }
    let again = try SQLiteStore(path: scene.path("plumb.db"))
    let days = try again.rows(RowQuery(app: 1, slice: Slice(), window: Self.windows[0], bins: .days))
    #expect(days.allSatisfy { $0.bin.resolution == .day })
  }

  private static func userDay(of session: Model) -> UserDay? {
    guard let user = session.user else { return nil }
    let winner = session.winner
    return UserDay(
      user: user, day: session.day, version: winner.key.release.version, model: winner.key.model, os: winner.key.os,
      isCrashed: winner.outcome == .crashed)
  }

  /// First and last days of the releases, and the newest day, are those of the sessions as they are at the end.
  private func compareLives(_ scene: Scene, _ sessions: [Model]) throws {
    let inventory = try scene.store.inventory(of: 1)
    let days = Dictionary(grouping: sessions) { $0.winner.key.release.version }.mapValues { $0.map(\.day) }
    #expect(Set(inventory.releases.map(\.release.version)) == Set(days.keys))
    for release in inventory.releases {
      let own = try #require(days[release.release.version])
      #expect(release.firstDay.number == own.min()! && release.lastDay.number == own.max()!, "\(release)")
    }
    #expect(inventory.environments.mapValues(\.number) == ["production": sessions.map(\.day).max()!])
  }

  private func compare(
    _ scene: Scene, _ slice: Slice, _ window: Window, _ sessions: [Model], _ seen: Set<UserDay>
  ) throws {
    let days = window.from.number...window.to.number
    let own = sessions.filter { session in
      let key = session.winner.key
      return days.contains(session.day) && Self.holds(slice, version: key.release.version, model: key.model, os: key.os)
    }
    let tally = try scene.rows(slice, window, metrics: ["sessions"]).sessions
    for outcome in SessionOutcome.allCases {
      #expect(tally[outcome] == own.count { $0.winner.outcome == outcome }, "\(outcome) of \(slice), \(window)")
    }
    let userDays = own.compactMap { session in session.user.map { "\($0) \(session.day)" } }
    let crashed = own.filter { $0.winner.outcome == .crashed }.compactMap { session in
      session.user.map { "\($0) \(session.day)" }
    }
    #expect(tally.knownUserDays == Set(userDays).count, "user-days of \(slice), \(window)")
    #expect(tally.crashedUserDays == Set(crashed).count, "crashed user-days of \(slice), \(window)")
    #expect(tally.userDays.clusters == Set(userDays).count + own.count { $0.user == nil })
    // Cells know no users.
    guard slice.os == nil || slice.release == nil else { return }
    var all = UserUnion()
    var unlucky = UserUnion()
    for case .users(let part) in try scene.rows(slice, window, metrics: ["users"]).map(\.aggregate) {
      all.add(part.all)
      unlucky.add(part.crashed)
    }
    let wanted = seen.filter {
      days.contains($0.day) && Self.holds(slice, version: $0.version, model: $0.model, os: $0.os)
    }
    #expect(all.estimate == Set(wanted.map(\.user)).count, "users of \(slice), \(window)")
    #expect(unlucky.estimate == Set(wanted.filter(\.isCrashed).map(\.user)).count, "\(slice), \(window)")
    if slice == Slice(), window.days == 28 { #expect(all.estimate == Set(own.compactMap(\.user)).count) }
  }
}
