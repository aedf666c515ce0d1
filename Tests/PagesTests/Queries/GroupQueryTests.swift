import HealthScene
import Testing

@testable import Analysis
@testable import Core
@testable import Ingest
@testable import Statistics
@testable import Storage
@testable import Web

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Numbers of groups, compared with counting a made-up fleet session by session.
@Suite("The numbers of groups")
struct GroupQueryTests {
  private static let titles = ["EXC_BAD_ACCESS", "EXC_BREAKPOINT"]

  private func affected(_ fleet: GroupFleet, _ title: String, _ release: String? = nil) -> [GroupFleet.Session] {
    fleet.sessions.filter { session in
      (release == nil || session.release == release) && session.crashes.contains(title)
    }
  }

  /// P(X ≥ k) of a binomial variable, term by term.
  private func atLeast(_ k: Int, of n: Int, _ p: Double) -> Double {
    (k...n).reduce(0.0) { sum, i in
      let ways = lgamma(Double(n + 1)) - lgamma(Double(i + 1)) - lgamma(Double(n - i + 1))
      return sum + exp(ways + Double(i) * log(p) + Double(n - i) * log(1 - p))
    }
  }

  @Test("a group's share, users and rate are those of its crashed sessions and users, per release and in total")
  func counted() throws {
    let fleet = try GroupFleet()
    let reader = try fleet.reader()
    let all = try reader.groups(Scene.app, kind: .crash, hasRates: true, now: Scene.now)
    #expect(Set(all.groups.map(\.title)) == Set(Self.titles) && all.sessions == 900)
    for group in all.groups {
      let hit = affected(fleet, group.title)
      #expect(group.sessions == hit.count && group.users == Set(hit.map(\.user)).count)
      #expect(group.share.estimate.value == Double(hit.count) / 900 && group.shareBasis == .sessions)
      #expect(group.rate?.count == hit.count && group.rate?.sessions == 900)
      #expect(abs((group.rate?.estimate.value ?? 0) - Double(hit.count) / 0.9) < 1e-9)
      #expect(group.days.reduce(0, +) == hit.count)
      let detail = try #require(try reader.group(Scene.app, named: group.id, now: Scene.now))
      let introduced = try #require(detail.group.introduced)
      let expected = GroupFleet.releases.reversed().filter { $0 + " (1)" >= introduced }
      #expect(detail.rates.map(\.release) == expected.map { $0 + " (1)" })
      for row in detail.rates {
        let release = String(row.release.dropLast(4))
        let hit = affected(fleet, group.title, release)
        let total = fleet.sessions.count { $0.release == release }
        #expect(row.rate.count == hit.count && row.rate.sessions == total && row.rate.counted == .sessions)
        #expect(abs((row.rate.estimate.value ?? -1) - 1000 * Double(hit.count) / Double(total)) < 1e-9)
        // The same number with the same interval, chosen as a filter.
        let chosen = try reader.groups(Scene.app, ReportQuery(release: release), kind: .crash, now: Scene.now)
        if let same = chosen.groups.first(where: { $0.id == group.id }) {
          #expect(same.rate == row.rate)
          #expect(same.share.estimate.low.map { $0 * 1000 } == row.rate.estimate.low)
        } else {
          #expect(hit.isEmpty && row.rate.estimate.low == 0 && row.rate.estimate.high ?? 0 > 0)
        }
      }
    }
  }

  @Test("a group's interval is never narrower than for independent sessions, and contains the share")
  func interval() throws {
    let fleet = try GroupFleet()
    let list = try fleet.reader().groups(Scene.app, kind: .crash, now: Scene.now)
    for group in list.groups {
      let k = try #require(group.sessions)
      let (low, high) = (try #require(group.share.estimate.low), try #require(group.share.estimate.high))
      let share = try #require(group.share.estimate.value)
      #expect(low < share && share < high)
      // Clopper and Pearson's bounds leave 2.5 % on each side; users who come back widen them.
      #expect(atLeast(k, of: 900, low) <= 0.0251 && 1 - atLeast(k + 1, of: 900, high) <= 0.0251)
    }
  }

  @Test("the numbers of a release's crash groups equal those of its page and the app's page")
  func impact() throws {
    let fleet = try GroupFleet()
    let impact = try #require(try fleet.reader().impact(Scene.app, release: "4.3.0", now: Scene.now))
    #expect(impact.sessions == 300 && impact.window.days == 28)
    for part in impact.parts {
      let hit = affected(fleet, part.group.title, "4.3.0")
      #expect(part.group.share.estimate.value == Double(hit.count) / 300 && part.group.sessions == hit.count)
      #expect(part.group.users == Set(hit.map(\.user)).count && part.group.days.count == 28)
      #expect(part.group.days.reduce(0, +) == hit.count)
    }
    #expect(impact.parts.count == 2)
  }

  @Test("if no report names its session, shares are of the kind's reports, and rates count reports without an interval")
  func unnamed() throws {
    let fleet = try GroupFleet(naming: false)
    let list = try fleet.reader().groups(Scene.app, isOfOneKind: true, now: Scene.now)
    #expect(list.kind == .crash && list.kinds.map(\.namesSessions) == [false])
    let reports = fleet.sessions.reduce(0) { $0 + $1.crashes.count }
    for group in list.groups {
      let own = affected(fleet, group.title).count
      #expect(group.shareBasis == .diagnostics && group.sessions == nil && group.diagnostics == own)
      #expect(group.share.estimate.value == Double(own) / Double(reports))
      #expect(group.rate?.counted == .diagnostics && group.rate?.estimate.low == nil)
      #expect(abs((group.rate?.estimate.value ?? 0) - Double(own) / 0.9) < 1e-9)
    }
  }

  @Test("all groups of a kind have one denominator, and one without sessions has no share among those with sessions")
  func mixed() throws {
    let lost = Scene.native(
      version: "4.3.0", build: "1",
      """
      "crashes": [{"at": "2026-11-19T10:00:00Z", "exception": "TypeError"}]
      """)
    let fleet = try GroupFleet(extra: [lost])
    let list = try fleet.reader().groups(Scene.app, kind: .crash, now: Scene.now)
    #expect(Set(list.groups.map(\.shareBasis)) == [.sessions])
    let group = try #require(list.groups.first { $0.title == "TypeError" })
    #expect(group.share.estimate.value == nil && group.rate?.counted == .diagnostics && group.rate?.count == 1)
  }

  /// The causes of the only group of 900 users who update on one of three days. `first`, `later`: one of so many sessions
  /// has a crash.
  private func updates(first: Int, later: Int, model: String? = nil) throws -> CauseList {
    let reader = try updated(first: first, later: later, model: model)
    let group = try #require(try reader.groups(Scene.app, now: Scene.now).groups.first)
    return try #require(try reader.group(Scene.app, named: group.id, now: Scene.now)?.causes)
  }

  /// `model`: what sessions state as their device; nil for the model that reports state.
  private func updated(first: Int, later: Int, model: String? = nil) throws -> GroupReader {
    let scene = try Scene()
    var bodies: [String] = []
    for user in 0..<900 {
      let start = -9 + user % 3
      for version in ["4.1.0", "4.2.0"] {
        let days = version == "4.1.0" ? -12..<start : start..<0
        let sessions = days.map { day -> (json: String, crash: String?) in
          let number = user * 37 + day * 11 + 1000
          let isFirst = day == days.lowerBound
          let isCrashed = number % (isFirst ? first : later) == 0
          let iso = (Scene.today + day).iso
          let id = "\(version)-\(user)-\(day)"
          return (
            "{\"id\": \"\(id)\", \"started\": \"\(iso)T10:00:00Z\", \"status\": \"\(isCrashed ? "crashed" : "exited")\"}",
            isCrashed
              ? "{\"at\": \"\(iso)T1\(user / 600):\(10 + user / 10 % 50):\(10 + user % 10)Z\", \"session\": \"\(id)\", "
                + "\"exception\": \"EXC_BAD_ACCESS\", \"frames\": [{\"binary\": \"Shop\", \"offset\": 7}]}" : nil
          )
        }
        let own = ["iPhone15,2", "iPhone14,5"][user % 2]
        bodies.append(
          Scene.native(
            version: version, model: model ?? own, installation: "u\(user)",
            "\"sessions\": [\(sessions.map(\.json).joined(separator: ","))]"))
        let crashes = sessions.compactMap(\.crash)
        guard !crashes.isEmpty else { continue }
        bodies.append(
          Scene.native(
            version: version, model: own, installation: "u\(user)",
            "\"crashes\": [\(crashes.joined(separator: ","))]"))
      }
    }
    try scene.receive(bodies)
    return GroupReader(
      store: scene.store, health: try scene.reader("sessions.crash_free >= 99.5%"), states: NoDecisions(),
      symbols: NoSymbols()
    ) { _ in CallTree() }
  }

  @Test("a group whose reports come from first sessions after an update names these, and no release with many of them")
  func firstSessions() throws {
    let list = try updates(first: 5, later: 60)
    #expect(list.causes.map(\.names) == [[.init(dimension: .updateAge, value: NamedCause.firstSession)]])
    // On the days with both, 30 of 150 first sessions of each model; 15 of 150 and 0 of 300 later ones of one, 0 of 150
    // and 15 of 300 of the other: Mantel and Haenszel's ratio is 5.6.
    let cause = try #require(list.causes.first)
    #expect(abs((cause.ratio.value ?? 0) - 5.6) < 0.4 && (cause.ratio.low ?? 0) > 2.5)
    #expect(list.sentences[0].hasPrefix("the first session after the update: "))
    #expect(try updates(first: 40, later: 40).causes.isEmpty)
    let unknown = try updates(first: 5, later: 60, model: "").causes
    #expect(unknown.map(\.names) == list.causes.map(\.names), "sessions that do not state their device")
  }

  @Test("of many reports, a random sample is looked up by age, so that their number bounds the work on any day")
  func sampledReports() throws {
    let reader = try updated(first: 5, later: 60)
    let query = GroupQuery(
      app: Scene.app.id, slice: Slice(environment: "production"),
      window: Window(from: Scene.today - 13, to: Scene.today), kind: .crash)
    func counts(_ sample: Int) throws -> (first: Double, later: Double) {
      try reader.store.reportsByAge(query, sample: sample).reduce(into: (first: 0, later: 0)) { counts, row in
        if row.age == .firstSession { counts.first += Double(row.reports) } else { counts.later += Double(row.reports) }
      }
    }
    let (all, half) = (try counts(1), try counts(2))
    // Four standard deviations of a binomial distribution.
    #expect(all.first > 300 && abs(half.first - all.first / 2) < 2 * all.first.squareRoot())
    #expect(all.later > 50 && abs(half.later - all.later / 2) < 2 * all.later.squareRoot())
    #expect(try counts(1 << 40).first == 0)
    let samples = [1, 50_000, 50_001, 1_000_000, 1e300].map(FirstSessionCause.sample)
    #expect(samples == [1, 1, 2, 32, 1 << 40])
  }

  @Test("exits are matched to groups of the same release: reports of such exits first, then possible causes")
  func exits() throws {
    func crash(_ version: String, _ parts: String) -> String {
      Scene.native(
        version: version, build: "1", "\"crashes\": [{\"at\": \"2026-11-19T10:00:00Z\", \(parts)}]")
    }
    let scene = try Scene()
    // Each payload counts 6 watchdog exits in the foreground and 16 in the background of 4.2.0 (1).
    let watchdog = #""exception": "EXC_CRASH", "signal": 9, "termination": "FRONTBOARD 0x8badf00d""#
    try scene.receive(
      (0..<3).map { ExitPayload.body($0) } + [
        crash("4.2.0", watchdog), crash("4.9.0", watchdog),
        crash("4.2.0", #""exception": "EXC_BAD_ACCESS", "signal": 11"#),
        crash("4.2.0", #""exception": "EXC_CRASH", "signal": 9, "termination": "JETSAM 7""#),
        crash("4.2.0", #""exception": "TypeError""#),
      ])
    let reader = GroupReader(
      store: scene.store, health: try scene.reader("sessions.crash_free >= 99.5%"), states: NoDecisions(),
      symbols: NoSymbols()
    ) { _ in CallTree() }
    let found = try reader.exitGroups(Scene.app, now: Scene.now)
    #expect(found[.watchdog]?.map(\.title) == ["Watchdog termination"])
    let group = try #require(found[.watchdog]?.first)
    #expect(group.exits == 3 * 22 && group.diagnostics == 1 && group.release == "4.2.0 (1)" && group.isReport)
    #expect(found[.badAccess]?.map(\.title) == ["EXC_BAD_ACCESS"])
    #expect(found[.badAccess]?.first?.exits == 3 * 16)
    #expect(found[.memoryLimit]?.map(\.title) == ["Jetsam termination (code 7)"])
    #expect(found[.memoryLimit]?.first?.exits == 3 * 12)
    #expect(Set(found.keys) == [.watchdog, .badAccess, .memoryLimit])
    // Nobody counts exits of the other release.
    #expect(try reader.exitGroups(Scene.app, ReportQuery(release: "4.9.0"), now: Scene.now).isEmpty)
  }

  @Test("notes of merged groups are joined, the newest first, on lists and pages")
  func notes() throws {
    func note(_ owner: String, _ text: String, _ time: Int64) -> GroupNote {
      GroupNote(owner: owner, text: text, author: "ana", changed: Timestamp(milliseconds: time))
    }
    let merged = MergedNotes.current(
      [1: note("", "new", 3), 2: note("Zoe", "old", 1), 3: note("Ana", "new", 2), 9: note("", "other", 1)],
      successors: [2: 1, 3: 1])
    #expect(merged == [1: note("Ana", "new\n\nold", 3), 9: note("", "other", 1)])
    let fleet = try GroupFleet()
    let list = try fleet.reader().groups(Scene.app, now: Scene.now)
    let id = try #require(list.groups.first?.id)
    let states = NoDecisions(notes: [try #require(Fingerprint.hash(named: id)): note("Zoe", "known", 5)])
    let reader = try fleet.reader(states)
    #expect(try reader.groups(Scene.app, now: Scene.now).groups.map { $0.note?.owner } == ["Zoe", nil])
    #expect(try reader.group(Scene.app, named: id, now: Scene.now)?.group.note?.text == "known")
    #expect(try reader.noted(Scene.app, named: id)?.note?.text == "known")
  }
}
