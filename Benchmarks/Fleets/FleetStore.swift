public import Core
import Statistics
public import Storage

/// The rows of one invented app in memory, in the form in which the real store returns them: by release, device class
/// and day.
public final class FleetStore: Store, ArrivalHistory, UpdateAgeCounts, @unchecked Sendable {
  // Invariant: filled and read only by the thread that plays the fleet.
  private var days: [Key: Day] = [:]
  /// When events became known.
  var delayed: [DelayedCount] = []

  struct Key: Hashable {
    var release: String
    var deviceClass: String
    var day: Int
  }

  /// The data of one device class about one release on one day.
  struct Day {
    var launches = Histogram(scheme: .logarithmic)
    var hangs = Histogram(scheme: .logarithmic)
    var hangRate = RatioMoments()
    var hangFrequency = RatioMoments()
    var exits = RatioMoments()
    var suspended = Histogram(scheme: .logarithmic)
    var sessions = SessionTally()
    var users = UserTally()
    var payloads = CounterSum()
    /// Sessions, and crashed ones, by the age of the update.
    var ages: [UpdateAge: (sessions: Int64, crashed: Int64)] = [:]
    /// The launches of clients that state the first run of their release.
    var launchesByAge: [UpdateAge: Histogram] = [:]

    mutating func merge(_ other: Day) {
      launches.merge(other.launches)
      hangs.merge(other.hangs)
      suspended.merge(other.suspended)
      hangRate.merge(other.hangRate)
      hangFrequency.merge(other.hangFrequency)
      exits.merge(other.exits)
      sessions.merge(other.sessions)
      users.merge(other.users)
      payloads = payloads.merged(with: other.payloads)
      for (age, counts) in other.ages {
        let known = ages[age] ?? (0, 0)
        ages[age] = (known.sessions + counts.sessions, known.crashed + counts.crashed)
      }
      for (age, histogram) in other.launchesByAge {
        launchesByAge[age, default: Histogram(scheme: .logarithmic)].merge(histogram)
      }
    }
  }

  init() {}

  /// Adds the data of another store.
  func merge(_ other: FleetStore) {
    for (key, day) in other.days { days[key, default: Day()].merge(day) }
  }

  func change(_ key: Key, _ body: (inout Day) -> Void) { body(&days[key, default: Day()]) }

  func addSession(_ key: Key, _ age: UpdateAge, isCrashed: Bool) {
    days[key, default: Day()].ages[age, default: (0, 0)].sessions += 1
    days[key, default: Day()].ages[age, default: (0, 0)].crashed += isCrashed ? 1 : 0
  }

  public func sessionsByAge(
    of app: AppID, environment: String, releases: Set<Release>?, in window: Window
  ) throws -> [SessionsByAge] {
    days.filter { key, _ in
      releases?.contains(Release(version: key.release, build: "")) ?? true && window.from.number <= key.day
        && key.day <= window.to.number
    }.flatMap { key, day in
      day.ages.map { age, counts in
        SessionsByAge(
          release: Release(version: key.release, build: ""), deviceClass: key.deviceClass, source: .native,
          day: CalendarDay(number: key.day), age: age, sessions: counts.sessions, crashed: counts.crashed)
      }
    }
  }

  public func measurementsByAge(
    of app: AppID, environment: String, releases: Set<Release>, metrics: [String], in window: Window
  ) throws -> [MeasurementsByAge] {
    guard metrics.contains("launch.first_draw") else { return [] }
    return days.filter { key, _ in
      releases.contains(Release(version: key.release, build: "")) && window.from.number <= key.day
        && key.day <= window.to.number
    }.flatMap { key, day in
      day.launchesByAge.map { age, histogram in
        MeasurementsByAge(
          metric: "launch.first_draw", release: Release(version: key.release, build: ""), deviceClass: key.deviceClass,
          source: .metricKit, day: CalendarDay(number: key.day), age: age, aggregate: .distribution(histogram))
      }
    }
  }

  /// The crash-free share of all sessions of a day; nil without sessions.
  func crashFree(on day: CalendarDay) -> Double? {
    let own = days.filter { $0.key.day == day.number }.values
    let (crashed, all) = own.reduce((0, 0)) { ($0.0 + $1.sessions[.crashed], $0.1 + $1.sessions.total) }
    return all > 0 ? 1 - Double(crashed) / Double(all) : nil
  }

  /// The app of these rows.
  public static let app = App(id: 1, bundleID: "com.example.fleet", created: Timestamp(milliseconds: 0))
  /// The first day of every fleet.
  public static let firstDay = CalendarDay(number: 20_600)

  public func position(of node: NodeID) throws -> DigestPosition { DigestPosition(through: 1) }
  public func apply(_ batch: DigestedBatch) throws {}
  public func diagnostics(_ query: DiagnosticQuery) throws -> [StoredDiagnostic] { [] }
  public func sample(of app: AppID, identity: UInt64) throws -> StoredSample? { nil }
  public func compact(now: Timestamp) throws {}
  public func tallies(of app: AppID, in window: Window) throws -> [IntakeTally] { [] }
  public func arrivals(_ query: ArrivalQuery) throws -> [Arrival] { [] }
  public func delays(of app: AppID, environment: String, in window: Window) throws -> [DelayedCount] {
    delayed.filter { window.from <= $0.day && $0.day <= window.to }
  }
  public func usage(_ query: RowQuery) throws -> [UsageRow] { [] }

  public func inventory(of app: AppID) throws -> AppInventory {
    var lives: [String: ClosedRange<Int>] = [:]
    for key in days.keys {
      let life = lives[key.release] ?? key.day...key.day
      lives[key.release] = min(life.lowerBound, key.day)...max(life.upperBound, key.day)
    }
    let releases = lives.map { name, life in
      KnownRelease(
        release: Release(version: name, build: ""), environment: "production",
        firstDay: CalendarDay(number: life.lowerBound), lastDay: CalendarDay(number: life.upperBound))
    }
    return AppInventory(
      environments: releases.map(\.lastDay).max().map { ["production": $0] } ?? [:], releases: releases,
      lastReceived: nil, digestedThrough: 1)
  }

  public func forEachRow(of query: RowQuery, _ body: (MetricRow) throws -> Void) throws {
    for row in try rows(query) { try body(row) }
  }

  public func rows(_ query: RowQuery) throws -> [MetricRow] {
    let slice = query.slice
    guard slice.environment == "production", slice.os == nil, slice.device == nil,
      slice.attribute == nil
    else { return [] }
    let wanted = days.filter { key, _ in
      (slice.release ?? key.release) == key.release && (slice.deviceClass ?? key.deviceClass) == key.deviceClass
        && query.window.from.number <= key.day && key.day <= query.window.to.number
    }
    return wanted.sorted {
      ($0.key.day, $0.key.release, $0.key.deviceClass) < ($1.key.day, $1.key.release, $1.key.deviceClass)
    }
    .flatMap { key, day -> [MetricRow] in
      switch query.dimension {
      case .release: rows(day, key.day, query, member: key.release)
      case .deviceClass: rows(day, key.day, query, member: key.deviceClass)
      case nil: rows(day, key.day, query, member: "")
      case .os, .device, .attribute, .combination: []
      }
    }
  }

  private func rows(_ day: Day, _ number: Int, _ query: RowQuery, member: String) -> [MetricRow] {
    let all: [(name: String, source: Source, aggregate: Aggregate)] = [
      ("launch.first_draw", .metricKit, .distribution(day.launches)),
      ("hang.duration", .metricKit, .distribution(day.hangs)), ("hang.rate", .metricKit, .pair(day.hangRate)),
      ("hang.frequency", .metricKit, .pair(day.hangFrequency)),
      ("exits.foreground_abnormal", .metricKit, .pair(day.exits)),
      ("memory.suspended", .metricKit, .distribution(day.suspended)), ("sessions", .native, .sessions(day.sessions)),
      ("users", .native, .users(day.users)), ("payloads", .metricKit, .counter(day.payloads)),
    ]
    return all.compactMap { name, source, aggregate in
      guard query.metrics?.contains(name) ?? true, aggregate.isMeasured, let metric = Catalogue.metric(named: name)
      else { return nil }
      return MetricRow(
        metric: .known(metric.number), label: "", source: source, bin: TimeBin(CalendarDay(number: number)),
        member: member, aggregate: aggregate)
    }
  }
}

extension Aggregate {
  fileprivate var isMeasured: Bool {
    switch self {
    case .distribution(let histogram): histogram.count > 0
    case .pair(let pair): pair.clusters > 0
    case .sessions(let tally): tally.total > 0
    case .users(let tally): tally.all != UserSet()
    case .counter: true
    }
  }
}
