import Core
import GRDB
import Statistics
public import Storage

/// The table `arrival_delay`: how long after the beginning of their day a batch's events became known. Young days are
/// corrected by what older days show.
struct ArrivalDelayTable {
  private var counts: [Key: Int64] = [:]

  private struct Key: Hashable {
    let environment: Int64
    let source: UInt8
    let event: DelayedEvent
    let day: CalendarDay
    let step: ReportingDelayStep
  }

  /// The number of days for which rows are kept: those that are learned from, and those that still change.
  static let memory = 42

  mutating func add(
    _ count: Int64, _ event: DelayedEvent, of day: CalendarDay, at received: Timestamp, environment: Int64,
    source: UInt8
  ) {
    guard count > 0, let step = ReportingDelayStep(of: day, at: received) else { return }
    let key = Key(environment: environment, source: source, event: event, day: day, step: step)
    counts[key] = (counts[key] ?? 0).saturatingAdd(count)
  }

  /// Adds what an update tells about a session. `old`: the session's state before, nil for an unknown session.
  mutating func add(_ new: SessionState, after old: SessionState?, at received: Timestamp, environment: Int64) {
    func add(_ event: DelayedEvent, if isNew: Bool) {
      self.add(isNew ? 1 : 0, event, of: new.day, at: received, environment: environment, source: new.source)
    }
    add(.session, if: old == nil)
    add(.crash, if: new.outcome == .crashed && old?.outcome != .crashed)
    add(.hang, if: new.hasHang && old?.hasHang != true)
  }

  /// Adds the payloads of a cell.
  mutating func add(_ cell: CellDelta, environment: Int64) {
    add(
      cell.payloads, .payload, of: cell.bin.day, at: cell.received, environment: environment,
      source: cell.key.source.rawValue)
  }

  func write(to database: Database) throws {
    guard !counts.isEmpty else { return }
    let add = try database.cachedStatement(
      sql: """
        INSERT INTO arrival_delay (environment, day, source, event, step, count) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET count = \(UpsertSum.of("count"))
        """)
    for (key, count) in counts {
      try add.execute(arguments: [
        key.environment, key.day.number, key.source, key.event.rawValue, key.step.number, count,
      ])
    }
  }
}

extension SQLiteStore {
  public func delays(of app: AppID, environment: String, in window: Window) throws -> [DelayedCount] {
    try read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT day, source, event, step, count FROM arrival_delay
          WHERE environment = (SELECT id FROM environment WHERE app = ? AND name = ?) AND day BETWEEN ? AND ?
          """)
      let rows = try Row.fetchCursor(
        statement, arguments: [app, environment, window.from.number, window.to.number])
      var found: [DelayedCount] = []
      while let row = try rows.next() {
        guard let source = Source(rawValue: try row.value(1)), let event = DelayedEvent(rawValue: try row.value(2)),
          let step = ReportingDelayStep(number: try row.value(3))
        else { throw StoreError.damaged("invalid value in the table arrival_delay") }
        found.append(
          DelayedCount(
            source: source, event: event, day: try row.day(0), step: step, count: max(0, try row.value(4))))
      }
      return found
    }
  }
}
