import Analysis
import Core
import Statistics
import Storage

/// The rows of one app in memory, in the form in which the real store returns them. The real store has its own tests;
/// here 26,000 evaluations must be fast.
final class SimulatedStore: Store, ArrivalHistory, UpdateAgeCounts, @unchecked Sendable {
  // Invariant: used only by the thread that plays the scenario.
  private var parts: [String: SimulatedPart] = ["": SimulatedPart()]
  private var accepted: [Int: Int] = [:]
  private var lives: [String: ClosedRange<Int>] = [:]
  private var received: Timestamp?
  private var sequence: Int64 = 0
  private(set) var groups = SimulatedGroups()
  private var arrivalRows: [(release: String, arrival: Arrival)] = []

  /// Counts an arrival: its release, the minute that it is about, and the minute of arrival.
  func accept(_ release: String, about minute: Int, at now: Int) {
    sequence += 1
    received = Timestamp(milliseconds: Int64(now) * 60_000)
    accepted[now / 1440, default: 0] += 1
    let day = minute / 1440
    let life = lives[release] ?? day...day
    lives[release] = min(life.lowerBound, day)...max(life.upperBound, day)
  }

  func addSession(_ release: String, user: UInt64, minute: Int, at now: Int) {
    for name in ["", release] { parts[name, default: SimulatedPart()].addSession(user: user, minute: minute) }
    arrive(release, at: now) { $0.seen += 1 }
    accept(release, about: minute, at: now)
  }

  /// Changes a known session to crashed. Its report has the cause.
  func turnCrashed(_ release: String, user: UInt64, cause: Int, minute: Int, at now: Int) {
    groups.add(release, cause: cause, user: user, day: minute / 1440)
    for name in ["", release] { parts[name]?.turnCrashed(user: user, minute: minute) }
    arrive(release, at: now) { arrival in
      arrival.crashed += 1
      arrival.users.insert(user)
    }
    accept(release, about: minute, at: now)
  }

  /// Adds a payload about a day: launch times, and hangs if they are reported.
  func addPayload(_ release: String, _ launches: [Double], _ hangs: Fleet.HangTime?, day: Int, at now: Int) {
    for name in ["", release] {
      parts[name, default: SimulatedPart()].addLaunches(launches, day: day)
      if let hangs { parts[name]?.addHangs(hangs, day: day) }
    }
    accept(release, about: day * 1440, at: now)
  }

  private func arrive(_ release: String, at now: Int, _ change: (inout Arrival) -> Void) {
    let start = now / 5 * 5
    if let index = arrivalRows.lastIndex(where: { $0.arrival.start == start && $0.release == release }) {
      change(&arrivalRows[index].arrival)
    } else {
      var arrival = Arrival(start: start, seen: 0, crashed: 0, users: UserSet())
      change(&arrival)
      arrivalRows.append((release, arrival))
    }
  }

  /// Removes arrivals that no window reaches.
  func tidy(at now: Int) { arrivalRows.removeAll { $0.arrival.start < now - 4330 } }

  // MARK: Store

  func position(of node: NodeID) throws -> DigestPosition { DigestPosition(through: sequence) }
  func apply(_ batch: DigestedBatch) throws {}
  func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] { [] }
  func sample(of app: AppID, identity: UInt64) throws -> StoredSample? { nil }
  func sessionsByAge(
    of app: AppID, environment: String, releases: Set<Release>?, in window: Window
  ) throws -> [SessionsByAge] { [] }
  func measurementsByAge(
    of app: AppID, environment: String, releases: Set<Release>, metrics: [String], in window: Window
  ) throws -> [MeasurementsByAge] { [] }
  func compact(now: Timestamp) throws {}

  func inventory(of app: AppID) throws -> AppInventory {
    let releases = lives.map { name, life in
      KnownRelease(
        release: Release(version: name, build: ""), environment: "production",
        firstDay: CalendarDay(number: life.lowerBound), lastDay: CalendarDay(number: life.upperBound))
    }
    let newest = releases.map(\.lastDay).max()
    return AppInventory(
      environments: newest.map { ["production": $0] } ?? [:], releases: releases, lastReceived: received,
      digestedThrough: sequence)
  }

  func tallies(of app: AppID, in window: Window) throws -> [IntakeTally] {
    accepted.filter { window.from.number <= $0.key && $0.key <= window.to.number }.map {
      IntakeTally(
        app: 1, day: CalendarDay(number: $0.key), kind: .accepted, reason: "native", detail: "", count: $0.value)
    }
  }

  func delays(of app: AppID, environment: String, in window: Window) throws -> [DelayedCount] { [] }

  func arrivals(_ query: ArrivalQuery) throws -> [Arrival] {
    arrivalRows.filter { ($0.release == query.release || query.release == nil) && $0.arrival.start >= query.from }
      .map(\.arrival)
  }

  func rows(_ query: RowQuery) throws -> [MetricRow] {
    guard query.slice.environment == "production", query.slice.os == nil, query.slice.device == nil else { return [] }
    let classes = query.slice.deviceClass.map { $0 == Self.deviceClass } ?? true
    guard classes else { return [] }
    let name = query.slice.release ?? ""
    switch query.dimension {
    case .release:
      return parts.keys.filter { !$0.isEmpty && (name.isEmpty || name == $0) }.sorted().flatMap { release in
        parts[release]?.rows(query, member: release, byHour: true) ?? []
      }
    case .deviceClass: return parts[name]?.rows(query, member: Self.deviceClass, byHour: false) ?? []
    case nil: return parts[name]?.rows(query, member: "", byHour: false) ?? []
    case .os, .device, .attribute, .combination: return []
    }
  }

  private static let deviceClass = "iPhone 13 to 15"
}
