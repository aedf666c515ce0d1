import Core
import GRDB
import Storage
import Synchronization

/// A row that can be kept.
protocol KeptRow: Sendable {
  var bin: TimeBin { get }
  /// The member of the query's dimension; empty without one.
  var member: String { get }
  /// The row's memory in bytes, about.
  var memory: Int { get }
}

extension MetricRow: KeptRow {}

extension UsageRow: KeptRow {
  var memory: Int { MemoryLayout<UsageRow>.stride + memoryOfName(member) }
}

/// The correlation sums of one stored row.
struct DailyCorrelation: KeptRow {
  let bin: TimeBin
  let row: CorrelationRow

  var member: String { row.member }
  var memory: Int { MemoryLayout<DailyCorrelation>.stride + memoryOfName(row.member) }
}

/// The memory of a name outside its row: none for the short ones.
private func memoryOfName(_ name: String) -> Int { name.utf8.count > 15 ? 32 + name.utf8.count : 0 }

/// Rows in memory, by query and day, from one snapshot to the next. A page after a flush reads only the rows of days that
/// changed and, if the flush is known, of slices that changed. Queries that were not used for the longest time are
/// dropped first.
final class KeptRows<Row: KeptRow>: Sendable {
  /// The most memory of all rows, and of those of one query, in bytes.
  private let most: Int
  private let mostOfQuery: Int
  /// The most rows of one query.
  private let mostRows: Int
  private let state = Mutex(State())

  init(most: Int, ofQuery mostOfQuery: Int, rows mostRows: Int = SQLiteStore.mostKeptRows) {
    (self.most, self.mostOfQuery, self.mostRows) = (most, mostOfQuery, mostRows)
  }

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

  /// The rows of a query on the days of a window.
  private struct Days {
    let window: Window
    /// The version of the rows when each day was read.
    private(set) var versions: [Int64] = []
    /// Day by day, each in the order in which it was read.
    private(set) var rows: [Row] = []
    /// The end of each day in `rows`.
    private var ends: [Int] = []

    /// Sorts rows that were read in any order of days.
    init(_ window: Window, version: Int64, unsorted: [Row]) throws {
      self.window = window
      versions = [Int64](repeating: version, count: window.days)
      var next = [Int](repeating: 0, count: window.days + 1)
      var isSorted = true
      var last = 0
      for position in unsorted.indices {
        let day = unsorted[position].bin.day.number - window.from.number
        guard versions.indices.contains(day) else {
          throw StoreError.damaged("a row of a day outside its query")
        }
        next[day + 1] += 1
        isSorted = isSorted && day >= last
        last = day
      }
      for day in versions.indices { next[day + 1] += next[day] }
      ends = Array(next.dropFirst())
      rows = unsorted
      if isSorted { return }
      var order = [Int](repeating: 0, count: unsorted.count)
      for position in unsorted.indices {
        let day = unsorted[position].bin.day.number - window.from.number
        order[next[day]] = position
        next[day] += 1
      }
      rows = order.map { unsorted[$0] }
    }

    /// The days of `parts` and, except for them, of `known`. They have no gaps.
    init(_ parts: [Days], and known: Days) {
      window = Window(
        from: parts.reduce(known.window.from) { min($0, $1.window.from) },
        to: parts.reduce(known.window.to) { max($0, $1.window.to) })
      for day in window.from.number...window.to.number {
        let days = parts.first { $0.contains(day) } ?? known
        versions.append(days.versions[day - days.window.from.number])
        rows += days.rows(of: day)
        ends.append(rows.count)
      }
    }

    func contains(_ day: Int) -> Bool { window.from.number <= day && day <= window.to.number }

    func isCurrent(_ day: Int, _ state: RowVersions.State) -> Bool {
      contains(day) && state.isCurrent(versions[day - window.from.number], day: day)
    }

    /// Which members of a query have no changed rows on days of this value; nil if it is unknown.
    func members(
      _ query: RowQuery, _ window: Window, _ versions: RowVersions.State, _ changes: ChangedSlices,
      _ queries: MetricRowQueries
    ) throws -> Members? {
      guard query.sliceKind != .cell, contains(window.from.number), contains(window.to.number) else { return nil }
      let own = self.versions[window.from.number - self.window.from.number...window.to.number - self.window.from.number]
      guard let oldest = own.min(), let newest = own.max(), oldest >= versions.allDays, newest <= versions.newest
      else { return nil }
      let slices = try queries.slices(of: query)
      let names = slices.map(\.name)
      // Rows have no slice, so that the rows of two slices of one name could not be distinguished.
      guard Set(names).count == names.count,
        let changed = changes.changed(slices.lazy.map(\.id), after: oldest, through: versions.newest)
      else { return nil }
      return Members(
        names: names, unchanged: Set(slices.lazy.filter { !changed.contains($0.id) }.map(\.name)))
    }

    /// The days of `part`, which has no rows of unchanged members, with theirs. Nil if a row has an unknown member.
    func replacing(_ members: Members, by part: Days) -> Days? {
      var rows: [Row] = []
      var ends: [Int] = []
      for day in part.window.from.number...part.window.to.number {
        var (old, new) = (self.rows(of: day), part.rows(of: day))
        for name in members.names {
          let own = old.prefix { $0.member == name }
          old = old.dropFirst(own.count)
          if members.unchanged.contains(name) {
            rows += own
          } else {
            let changed = new.prefix { $0.member == name }
            new = new.dropFirst(changed.count)
            rows += changed
          }
        }
        guard old.isEmpty, new.isEmpty else { return nil }
        ends.append(rows.count)
      }
      var days = part
      (days.rows, days.ends) = (rows, ends)
      return days
    }

    func rows(of day: Int) -> ArraySlice<Row> { rows[start(of: day)..<ends[day - window.from.number]] }

    private func start(of day: Int) -> Int { day == window.from.number ? 0 : ends[day - 1 - window.from.number] }

    /// The days of a window within this one.
    func part(_ part: Window) -> Days {
      guard part != window else { return self }
      return Days(part, of: self)
    }

    private init(_ part: Window, of days: Days) {
      window = part
      let range = part.from.number - days.window.from.number..<part.to.number + 1 - days.window.from.number
      let start = days.start(of: part.from.number)
      versions = Array(days.versions[range])
      ends = days.ends[range].map { $0 - start }
      rows = Array(days.rows[start..<start + (ends.last ?? 0)])
    }

    /// The memory of the rows, in bytes.
    var size: Int { rows.reduce(1_024 + 16 * versions.count) { $0 + $1.memory } }
  }

  /// The members of a query's dimension, in the order of their rows.
  private struct Members {
    let names: [String]
    /// Those without changed rows.
    let unchanged: Set<String>
  }

  private struct Answer {
    var days: Days?
    var size = 1_024
    var lastUse = 0
    /// The number of days from which the rows of a window are too large to be kept.
    var tooLong = Int.max
  }

  private struct State {
    var answers: [Query: Answer] = [:]
    var size = 0
    var uses = 0
    var allDays: Int64 = 0

    /// Drops all rows, but still knows which queries have too many.
    mutating func forgetRows(_ allDays: Int64) {
      self.allDays = allDays
      answers = answers.filter { $0.value.tooLong < .max }
        .mapValues { Answer(lastUse: $0.lastUse, tooLong: $0.tooLong) }
      size = answers.count * Answer().size
    }

    /// Changes an answer and drops those that were not used for the longest time, if they are larger than `most` bytes.
    mutating func update(_ query: Query, most: Int, _ body: (inout Answer) -> Void) {
      let old = answers.removeValue(forKey: query)
      var answer = old ?? Answer()
      body(&answer)
      uses += 1
      answer.lastUse = uses
      size += answer.size - (old?.size ?? 0)
      answers[query] = answer
      while size > most, let oldest = answers.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        size -= oldest.value.size
        answers[oldest.key] = nil
      }
    }
  }

  /// Reads the rows of a query for all members of its dimension except some. It checks whether rows have expired.
  typealias Read = (RowQuery, Set<String>, (Row) throws -> Void) throws -> Void

  /// The rows of a query, day by day. `read` reads those of a part of the window. Nil if the rows are too large to be
  /// kept.
  func rows(
    of query: RowQuery, by queries: MetricRowQueries, after changes: ChangedSlices, _ read: Read
  ) throws -> [Row]? {
    let table = RowVersions(queries.database)
    guard var versions = try table.state() else { return nil }
    let key = Query(query)
    let answer = answer(key, versions)
    guard query.window.days < answer?.tooLong ?? .max else { return nil }
    let known = answer?.days
    if known != nil { versions.days = try table.days(of: query.app, in: query.window) }
    let missing = Self.missing(query.window) { known?.isCurrent($0, versions) ?? false }
    if missing != [query.window] { try queries.checkAge(of: query) }
    if missing.isEmpty, let known { return known.part(query.window).rows }
    var room = mostOfQuery
    func days(_ window: Window, except members: Set<String>) throws -> Days {
      var part = query
      part.window = window
      var rows: [Row] = []
      try read(part, members) { row in
        room -= row.memory
        guard room >= 0, rows.count < mostRows else { throw TooLarge() }
        rows.append(row)
      }
      return try Days(window, version: versions.newest, unsorted: rows)
    }
    var parts: [Days] = []
    do {
      for window in missing {
        let part = try known?.members(query, window, versions, changes, queries).flatMap { members in
          try known?.replacing(members, by: days(window, except: members.unchanged))
        }
        parts.append(try part ?? days(window, except: []))
      }
    } catch is TooLarge {
      keep(nil, of: key, query.window)
      return nil
    }
    guard let known, let only = parts.first, only.window != query.window else {
      keep(parts.first, of: key, query.window)
      return parts.first?.rows
    }
    let all = Days(parts, and: known)
    keep(all, of: key, query.window)
    return all.part(query.window).rows
  }

  private struct TooLarge: Error {}

  /// What is known of a query; nil for nothing.
  private func answer(_ key: Query, _ versions: RowVersions.State) -> Answer? {
    state.withLock { state in
      if versions.allDays > state.allDays { state.forgetRows(versions.allDays) }
      guard state.answers[key] != nil else { return nil }
      state.uses += 1
      state.answers[key]?.lastUse = state.uses
      return state.answers[key]
    }
  }

  /// Keeps the rows of a query, at least those of `window`; nil if they are too large.
  private func keep(_ days: Days?, of key: Query, _ window: Window) {
    var days = days
    var size = days?.size ?? 0
    if size > mostOfQuery {
      days = days?.part(window)
      size = days?.size ?? 0
    }
    let isTooLarge = size == 0 || size > mostOfQuery || days?.rows.count ?? 0 > mostRows
    state.withLock { state in
      state.update(key, most: most) { answer in
        // A window that is a little shorter would most likely have too many as well.
        if isTooLarge { return answer.tooLong = min(answer.tooLong, max(1, window.days * 3 / 4)) }
        // Rows of a newer state than this snapshot's stay.
        guard answer.days?.versions.max() ?? 0 <= days?.versions.max() ?? 0 else { return }
        (answer.days, answer.size) = (days, size)
      }
    }
  }

  /// The windows that contain all days of `window` that are not known. A few known days between them are read again,
  /// because each window is another search in the index of every series.
  private static func missing(_ window: Window, isKnown: (Int) -> Bool) -> [Window] {
    var found: [Window] = []
    for day in window.from.number...window.to.number where !isKnown(day) {
      let day = CalendarDay(number: day)
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
