import Core
import Statistics
import Storage

/// The days of one release, or of all releases.
struct SimulatedPart {
  private var days: [Int: Day] = [:]

  private struct Day {
    var hours = [SessionTally](repeating: SessionTally(), count: 24)
    var users = UserTally()
    var launches = Histogram(scheme: .logarithmic)
    /// Hang time and use in milliseconds, a pair for each payload.
    var hangs = RatioMoments()
    var byUser: [UInt64: (crashed: Int64, sessions: Int64)] = [:]

    /// The sum of all hours.
    var whole = SessionTally()
  }

  mutating func addSession(user: UInt64, minute: Int) {
    change(user, minute) { tally, sums in
      tally[.healthy] += 1
      sums.sessions += 1
    }
    days[minute / 1440]?.users.all.insert(user)
  }

  mutating func turnCrashed(user: UInt64, minute: Int) {
    change(user, minute) { tally, sums in
      tally[.healthy] -= 1
      tally[.crashed] += 1
      sums.crashed += 1
    }
    days[minute / 1440]?.users.crashed.insert(user)
  }

  /// Replaces a user's day, which is one cluster, like the real store.
  private mutating func change(
    _ user: UInt64, _ minute: Int, _ body: (inout SessionTally, inout (crashed: Int64, sessions: Int64)) -> Void
  ) {
    // Removed first, so that its arrays are changed in place.
    var day = days.removeValue(forKey: minute / 1440) ?? Day()
    let hour = minute % 1440 / 60
    let old = day.byUser[user]
    var new = old ?? (0, 0)
    var delta = SessionTally()
    body(&delta, &new)
    if let old { delta.userDays.subtract(x: old.crashed, y: old.sessions) }
    delta.userDays.add(x: new.crashed, y: new.sessions)
    if old == nil { delta.knownUserDays += 1 }
    if new.crashed == 1, old?.crashed ?? 0 == 0 { delta.crashedUserDays += 1 }
    day.hours[hour].merge(delta)
    day.whole.merge(delta)
    day.byUser[user] = new
    days[minute / 1440] = day
  }

  mutating func addLaunches(_ values: [Double], day: Int) {
    var payload = ClusterSum()
    for value in values {
      days[day, default: Day()].launches.insert(value, stepsPerUnit: 1000, into: &payload)
    }
    days[day, default: Day()].launches.close(payload)
  }

  mutating func addHangs(_ time: Fleet.HangTime, day: Int) {
    days[day, default: Day()].hangs.add(x: time.hung, y: time.used)
  }

  func rows(_ query: RowQuery, member: String, byHour: Bool) -> [MetricRow] {
    let wanted = { (name: String) in query.metrics?.contains(name) ?? true }
    return (query.window.from.number...query.window.to.number).flatMap { number -> [MetricRow] in
      guard let day = days[number] else { return [] }
      let bin = TimeBin(CalendarDay(number: number))
      func row(_ metric: UInt16, _ source: Source, _ bin: TimeBin, _ aggregate: Aggregate) -> MetricRow {
        MetricRow(
          metric: .known(metric), label: "", source: source, bin: bin, member: member, aggregate: aggregate)
      }
      var rows: [MetricRow] = []
      if wanted("sessions") {
        // Older days are kept without hours, like in the real store.
        if byHour, number >= query.window.to.number - 30 {
          rows += day.hours.enumerated().filter { !$0.element.isEmpty }.map { hour, tally in
            row(
              Catalogue.sessions, .native, TimeBin(start: number * 1440 + hour * 60, resolution: .hour),
              .sessions(tally))
          }
        } else {
          rows.append(row(Catalogue.sessions, .native, bin, .sessions(day.whole)))
        }
      }
      if wanted("users") { rows.append(row(Catalogue.users, .native, bin, .users(day.users))) }
      if wanted("launch.first_draw"), day.launches.count > 0 {
        rows.append(row(100, .metricKit, bin, .distribution(day.launches)))
      }
      if wanted("hang.rate"), day.hangs.clusters > 0 { rows.append(row(202, .metricKit, bin, .pair(day.hangs))) }
      return rows
    }
  }
}
