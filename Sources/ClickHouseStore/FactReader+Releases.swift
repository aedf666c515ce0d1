import Core
import Storage

extension FactReader {
  /// The builds of an app by environment, with the first and last day on which each has rows.
  func releases(of app: AppID) throws -> [KnownRelease] {
    var days: [Build: ClosedRange<Int64>] = [:]
    for statement in [others(app), sessions(app)] {
      let found = try client.rows(statement)
      let names = try zip(found.strings("environment"), zip(found.strings("version"), found.strings("build")))
      let starts = try zip(found.integers("oldest"), found.integers("newest"))
      for ((environment, (version, build)), (oldest, newest)) in zip(names, starts) {
        let key = Build(environment: environment, release: Release(version: version, build: build))
        let known = days[key] ?? oldest...max(oldest, newest)
        days[key] = min(known.lowerBound, oldest)...max(known.upperBound, newest)
      }
    }
    return days.map { build, starts in
      KnownRelease(
        release: build.release, environment: build.environment, firstDay: Self.day(of: starts.lowerBound),
        lastDay: Self.day(of: starts.upperBound))
    }
  }

  private struct Build: Hashable {
    let environment: String
    let release: Release
  }

  private static func day(of minute: Int64) -> CalendarDay {
    TimeBin(start: Int(minute), resolution: .fiveMinutes).day
  }

  /// What is never taken back has a day as soon as it has a row.
  private func others(_ app: AppID) -> String {
    """
    SELECT environment, version, build, min(start) AS oldest, max(start) AS newest FROM \(table)
    WHERE kind = \(SliceKind.release.rawValue) AND app = \(app)
      AND form NOT IN (\(FactSums.Form.sessions.rawValue), \(UserForm.all.rawValue), \(UserForm.crashed.rawValue))
    GROUP BY environment, version, build
    """
  }

  /// Sessions may have moved to another build or day since, so that nothing is left of a row.
  private func sessions(_ app: AppID) -> String {
    """
    SELECT environment, version, build, min(start) AS oldest, max(start) AS newest FROM (
      SELECT environment, version, build, start, source, lowKey, highKey, sum(entry) AS total FROM \(table)
      ARRAY JOIN entryMap.lowKey AS lowKey, entryMap.highKey AS highKey, entryMap.sum AS entry
      WHERE kind = \(SliceKind.release.rawValue) AND app = \(app) AND form = \(FactSums.Form.sessions.rawValue)
      GROUP BY environment, version, build, start, source, lowKey, highKey HAVING total != 0
    )
    GROUP BY environment, version, build
    """
  }
}
