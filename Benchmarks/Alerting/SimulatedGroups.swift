import Core
import Ingest
import Storage

/// The crashes of one app by cause, in memory. Every crash has its session and user.
struct SimulatedGroups {
  private var releases: [String: [Int: Cell]] = [:]

  /// A cause in a release.
  private struct Cell {
    var days: [Int: Day] = [:]
    var first = Int.max
    var last = Int.min
    var crashes = 0

    mutating func add(_ user: UInt64, _ day: Int) {
      days[day, default: Day()].add(user)
      first = min(first, day)
      last = max(last, day)
      crashes += 1
    }
  }

  private struct Day {
    var crashes = 0
    var users: Set<UInt64> = []

    mutating func add(_ user: UInt64) {
      crashes += 1
      users.insert(user)
    }
  }

  /// Adds a crashed session of a release. No session crashes twice.
  mutating func add(_ release: String, cause: Int, user: UInt64, day: Int) {
    releases[release, default: [:]][cause, default: Cell()].add(user, day)
  }

  /// The name of a cause's group, as in URLs.
  static func name(of cause: Int) -> String { Fingerprint.name(of: fingerprint(of: cause)) }

  private static func fingerprint(of cause: Int) -> UInt64 { Fingerprint.hash(of: ["cause", "\(cause)"]) }

  private static func group(_ cause: Int) -> StoredGroup {
    StoredGroup(
      id: Int64(cause), fingerprint: fingerprint(of: cause), kind: .crash, exception: "EXC_BAD_ACCESS",
      place: "Cause\(cause).run()", binary: "Shop", isSymbolic: true)
  }

  // MARK: Questions

  func groups(_ query: GroupQuery) -> [GroupCount] {
    days(query).map { cause, days in
      let numbers = days.map(\.number)
      let crashes = days.reduce(0) { $0 + $1.day.crashes }
      let users = days.reduce(into: Set<UInt64>()) { $0.formUnion($1.day.users) }
      return GroupCount(
        group: Self.group(cause), diagnostics: crashes, sessions: crashes, withoutSession: 0, users: users.count,
        firstDay: CalendarDay(number: numbers.min() ?? 0), lastDay: CalendarDay(number: numbers.max() ?? 0))
    }
  }

  func counts(_ query: GroupQuery) -> [GroupPartCount] {
    days(query).flatMap { cause, days in
      Dictionary(grouping: days, by: \.number).map { number, days in
        GroupPartCount(
          group: Int64(cause), part: CalendarDay(number: number).iso,
          diagnostics: days.reduce(0) { $0 + $1.day.crashes })
      }
    }
  }

  func lifetimes() -> [GroupLifetime] {
    releases.flatMap { release, cells in
      cells.map { cause, cell in
        GroupLifetime(
          group: Int64(cause), environment: "production", release: Release(version: release, build: ""),
          firstDay: CalendarDay(number: cell.first), lastDay: CalendarDay(number: cell.last), diagnostics: cell.crashes)
      }
    }
  }

  /// The days of the window with crashes, by cause. A day has one entry per release.
  private func days(_ query: GroupQuery) -> [Int: [(number: Int, day: Day)]] {
    var found: [Int: [(number: Int, day: Day)]] = [:]
    for (release, cells) in releases where query.slice.release == nil || query.slice.release == release {
      for (cause, cell) in cells where query.group == nil || query.group == Int64(cause) {
        let window = query.window.from.number...query.window.to.number
        let days = cell.days.filter { window.contains($0.key) }.map { (number: $0.key, day: $0.value) }
        if !days.isEmpty { found[cause, default: []] += days }
      }
    }
    return found
  }
}
