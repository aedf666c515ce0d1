import Core
import GRDB
import Storage
import Synchronization

/// A row that can be kept.
protocol KeptRow: Sendable {
  var bin: TimeBin { get }
  /// The row's memory in bytes, about.
  var memory: Int { get }
}

extension MetricRow: KeptRow {}

extension UsageRow: KeptRow {
  var memory: Int { MemoryLayout<UsageRow>.stride + (member.utf8.count > 15 ? 32 + member.utf8.count : 0) }
}

/// Rows in memory, by query and day, from one snapshot to the next. A page after a flush reads only the rows of days that
/// changed. Queries that were not used for the longest time are dropped first.
final class KeptRows<Row: KeptRow>: Sendable {
  /// The most memory of all rows, and of those of one query, in bytes.
  private let most: Int
  private let mostOfQuery: Int
  private let state = Mutex(State())

  init(most: Int, ofQuery mostOfQuery: Int) { (self.most, self.mostOfQuery) = (most, mostOfQuery) }

  /// The memory of the kept rows, in bytes.
  var size: Int { state.withLock { $0.size } }

  private struct Query: Hashable {
    let name: SnapshotRows.Name
    let metrics: Set<String>?
    let leavesOutTotals: Bool

    init(_ query: RowQuery) {
      var query = query
      // The same rows of SQLite.
      if query.bins == .window { query.bins = .days }
      (name, metrics, leavesOutTotals) = (.init(query), query.metrics.map(Set.init), query.leavesOutTotals)
    }
  }

  private struct Day {
    /// The version of the rows when the day was read.
    let version: Int64
    var rows: [Row] = []
    var size = MemoryLayout<(Int, Day)>.stride
  }

  private struct Answer {
    var days: [Int: Day] = [:]
    var size = 1_024
    var lastUse = 0
    /// The number of days of the shortest window whose rows are too large to be kept.
    var tooLong = Int.max
  }

  private struct State {
    var answers: [Query: Answer] = [:]
    var size = 0
    var uses = 0
    var allDays: Int64 = 0

    mutating func update(_ query: Query, _ body: (inout Answer) -> Void) {
      var answer = answers.removeValue(forKey: query) ?? Answer()
      size -= answer.lastUse > 0 ? answer.size : 0
      uses += 1
      answer.lastUse = uses
      body(&answer)
      size += answer.size
      answers[query] = answer
    }

    mutating func bound(_ most: Int) {
      while size > most, let oldest = answers.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        size -= oldest.value.size
        answers[oldest.key] = nil
      }
    }
  }

  /// The rows of a query, day by day. `read` reads those of a part of the window. Nil if they are too large to be kept.
  func rows(
    of query: RowQuery, in database: Database, _ read: (RowQuery, (Row) throws -> Void) throws -> Void
  ) throws -> [Row]? {
    guard let versions = try RowVersions(database).state(of: query.app, in: query.window),
      var days = current(query, versions)
    else { return nil }
    var room = days.values.reduce(mostOfQuery) { $0 - $1.size }
    var new: [Int: Day] = [:]
    for window in Self.missing(query.window, days) {
      var part = query
      part.window = window
      var found = [Day](repeating: Day(version: versions.newest), count: window.days)
      do {
        try read(part) { row in
          let (index, memory) = (row.bin.day.number - window.from.number, row.memory)
          room -= memory
          guard room >= 0 else { throw TooLarge() }
          guard found.indices.contains(index) else { throw StoreError.damaged("a row of a day outside its query") }
          found[index].rows.append(row)
          found[index].size += memory
        }
      } catch is TooLarge {
        state.withLock { $0.update(Query(query)) { $0.tooLong = min($0.tooLong, query.window.days) } }
        return nil
      }
      for (day, rows) in zip(window.allDays, found) { new[day.number] = rows }
    }
    days.merge(new) { $1 }
    keep(new, of: query)
    return query.window.allDays.flatMap { days[$0.number]?.rows ?? [] }
  }

  private struct TooLarge: Error {}

  /// The days of a query that are current; nil if its rows are too large to be kept.
  private func current(_ query: RowQuery, _ versions: RowVersions.State) -> [Int: Day]? {
    let answer = state.withLock { state -> Answer? in
      if versions.allDays > state.allDays { state = State(allDays: versions.allDays) }
      guard state.answers[Query(query)] != nil else { return nil }
      state.uses += 1
      state.answers[Query(query)]?.lastUse = state.uses
      return state.answers[Query(query)]
    }
    guard let answer else { return [:] }
    guard query.window.days < answer.tooLong else { return nil }
    let window = query.window.from.number...query.window.to.number
    return answer.days.filter { window.contains($0) && versions.isCurrent($1.version, day: $0) }
  }

  private func keep(_ new: [Int: Day], of query: RowQuery) {
    state.withLock { state in
      state.update(Query(query)) { answer in
        for (day, rows) in new {
          if let known = answer.days[day] {
            guard known.version <= rows.version else { continue }
            answer.size -= known.size
          }
          answer.days[day] = rows
          answer.size += rows.size
        }
        guard answer.size > mostOfQuery else { return }
        for (day, rows) in answer.days where day < query.window.from.number || day > query.window.to.number {
          answer.days[day] = nil
          answer.size -= rows.size
        }
      }
      state.bound(most)
    }
  }

  /// The windows that contain all days of `window` that are not known. A few known days between them are read again,
  /// because each window is another search in the index of every series.
  private static func missing(_ window: Window, _ known: [Int: Day]) -> [Window] {
    var found: [Window] = []
    for day in window.allDays where known[day.number] == nil {
      if let last = found.last, day.number - last.to.number <= 3 {
        found[found.count - 1].to = day
      } else {
        found.append(Window(from: day, to: day))
      }
    }
    guard found.count > 4, let first = found.first, let last = found.last else { return found }
    return [Window(from: first.from, to: last.to)]
  }
}
