import Core
import Foundation
import GRDB
import Ingest
import Storage

/// The conversion of cumulative values to increases. A value that is not later than the last one of its stream is a
/// repetition and adds nothing.
struct CumulativeToDelta {
  private let database: Database
  private var streams: [StreamID: State] = [:]
  private var fresh: [AppID: Int] = [:]
  /// The number of streams whose first value is not counted, because it may already have been counted.
  private var returned: [AppID: Int] = [:]
  /// The value of `StreamEvictionTable` for each app.
  private var forgotten: [AppID: Int64?] = [:]
  /// The streams whose last value could not be read.
  private var damaged: Set<StreamID> = []

  private struct StreamID: Hashable {
    let app: AppID
    let accumulation: CumulativeStream
  }

  private struct State {
    var time: Timestamp
    var received: Int
    var value: Core.Measurement.Value
    var extent: Extent?
  }

  /// The number of days for which a stream is remembered after its last receipt.
  static let memory = 14

  init(_ database: Database) { self.database = database }

  /// The increase of a metric by a cumulative record, with its extent; nil if it adds nothing.
  mutating func gain(of record: AccumulationRecord) throws -> (value: Core.Measurement.Value, extent: Extent?)? {
    let id = StreamID(app: record.key.app, accumulation: record.accumulation)
    let before = try streams[id] ?? stored(id)
    if before == nil, damaged.contains(id) {
      // It is unknown what was already counted, so the next increases are counted from this value.
      streams[id] = State(
        time: record.time, received: record.received.day().number, value: record.value, extent: record.extent)
      return nil
    }
    if before == nil { fresh[id.app, default: 0] += 1 }
    if let before, record.time < before.time { return nil }
    let increase = before.flatMap { record.value.increase(since: $0.value) }
    // If two exports lie within one millisecond, a value that has not grown is the earlier export, arriving late.
    if let before, record.time == before.time, increase?.isZero ?? true { return nil }
    streams[id] = State(
      time: record.time, received: record.received.day().number, value: record.value, extent: record.extent)
    if before == nil, try mayHaveBeenCounted(record) {
      returned[id.app, default: 0] += 1
      return nil
    }
    guard let before, let increase else {
      // The first value of a stream, or a value that decreased because of a reset, counts entirely. A counter of 0 also
      // creates a row.
      return (record.value.narrowed(to: record.extent), record.extent)
    }
    if increase.isZero { return nil }
    return (increase.narrowed(to: record.extent), record.extent?.increase(since: before.extent))
  }

  /// The tallies of streams whose first value was not counted, and of streams whose last value could not be read.
  func tallies(_ day: CalendarDay) -> [IntakeTally] {
    returned.map { app, count in
      IntakeTally(app: app, day: day, kind: .rejectedPart, reason: IntakeTally.returnedStream, detail: "", count: count)
    } + damagedTallies(day)
  }

  private func damagedTallies(_ day: CalendarDay) -> [IntakeTally] {
    Dictionary(grouping: damaged, by: \.app).map { app, streams in
      IntakeTally(
        app: app, day: day, kind: .quarantined, reason: "damaged row", detail: "stream", count: streams.count)
    }
  }

  /// Deletes the stored value of a record's stream, so that the record is its first one.
  mutating func forget(_ record: AccumulationRecord) throws {
    streams[StreamID(app: record.key.app, accumulation: record.accumulation)] = nil
    try database.cachedStatement(sql: "DELETE FROM stream WHERE app = ? AND stream = ? AND start = ?").execute(
      arguments: [
        record.key.app, Int64(bitPattern: record.accumulation.stream), record.accumulation.start.milliseconds,
      ])
    try RowCounts.subtract(database.changesCount, .stream, record.key.app, in: database)
  }

  /// Writes every stream with a new value.
  func save(_ counts: inout RowCounts) throws {
    for (app, count) in fresh { try counts.add(count, .stream, app, in: database) }
    let statement = try database.cachedStatement(
      sql: """
        INSERT INTO stream (app, stream, start, time, received, value) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET time = excluded.time, received = excluded.received, value = excluded.value,
          updates = 2
        """)
    for (id, state) in streams {
      try statement.execute(arguments: [
        id.app, Int64(bitPattern: id.accumulation.stream), id.accumulation.start.milliseconds,
        state.time.milliseconds, state.received, Data(MeasurementValueBytes.encode(state.value, state.extent)),
      ])
    }
  }

  /// Whether an unknown stream may be an evicted one. A stream that starts after all evicted ones is not.
  private mutating func mayHaveBeenCounted(_ record: AccumulationRecord) throws -> Bool {
    let app = record.key.app
    let known = try forgotten[app] ?? StreamEvictionTable(database).start(of: app)
    forgotten[app] = .some(known)
    guard let known else { return false }
    let start = record.accumulation.start.milliseconds
    return start <= known || start > StreamEvictionTable.latestStart(receivedOn: record.received.day().number)
  }

  private mutating func stored(_ id: StreamID) throws -> State? {
    let statement = try database.cachedStatement(
      sql: "SELECT time, received, value FROM stream WHERE app = ? AND stream = ? AND start = ?")
    let row = try Row.fetchOne(
      statement,
      arguments: [
        id.app, Int64(bitPattern: id.accumulation.stream), id.accumulation.start.milliseconds,
      ])
    guard let row else { return nil }
    let bytes = [UInt8](try row.value(2, as: Data.self))
    guard let (value, extent) = try? bytes.withUnsafeBytes({ try MeasurementValueBytes.decode($0) }) else {
      damaged.insert(id)
      let key = "stream \(id.accumulation.stream), start \(id.accumulation.start.milliseconds)"
      try QuarantineTable(database).add([
        DamagedRow(table: "stream", key: key, app: id.app, reason: "its last value cannot be read", bytes: bytes)
      ])
      return nil
    }
    return State(
      time: Timestamp(milliseconds: try row.value(0)), received: try row.value(1), value: value, extent: extent)
  }
}
