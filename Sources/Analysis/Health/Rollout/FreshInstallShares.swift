import Core
import Storage

/// The share of each day's use of a release by phones that had just installed it: how like days are in the age of
/// updates.
struct FreshInstallShares {
  private(set) var byDay: [CalendarDay: Double]

  init(byDay: [CalendarDay: Double]) { self.byDay = byDay }

  /// The shares told from the growth of a release's use from one day to the next.
  ///
  /// - Parameter isWholeLife: whether the first day is the release's first. Otherwise that day's share is unknown.
  init(growthOf uses: [CalendarDay: Double], isWholeLife: Bool) {
    byDay = [:]
    var before: (day: CalendarDay, use: Double)?
    for (day, use) in uses.sorted(by: { $0.key < $1.key }) where use > 0 {
      // After a gap, phones that were merely silent would look new.
      if let before, day.number - before.day.number <= Self.longestGap {
        byDay[day] = max(0, 1 - before.use / use)
      } else if before == nil, isWholeLife {
        byDay[day] = 1
      }
      before = (day, use)
    }
  }

  /// The shares of sessions whose installation had first run the release on the same day. Days with few sessions are
  /// left out.
  init(_ rows: [SessionsByAge]) {
    byDay = Dictionary(grouping: rows, by: \.day).compactMapValues { rows in
      let all = rows.reduce(0) { $0 + $1.sessions }
      let fresh = rows.reduce(0) { $0 + ($1.age <= .sameDay ? $1.sessions : 0) }
      return all >= Self.fewestSessions ? Double(fresh) / Double(all) : nil
    }
  }

  /// These shares, replaced by better known ones.
  func replaced(by better: FreshInstallShares) -> FreshInstallShares {
    var copy = self
    copy.byDay.merge(better.byDay) { $1 }
    return copy
  }

  /// The group of days that are alike in this share; nil if it is unknown.
  func stage(of day: CalendarDay) -> Int? {
    byDay[day].flatMap { share in Self.stages.lastIndex { $0 <= share } }
  }

  /// The shares from which days count as alike.
  static let stages = [0.0, 0.1, 0.3, 0.8]
  private static let fewestSessions: Int64 = 20
  private static let longestGap = 3
}
