import Core
import Storage

/// The days that are recounted from the journal, and the results that the replay collects.
struct ReplayFilter {
  let days: Set<CalendarDay>
  /// The sessions that started on these days, before or during the replay.
  private(set) var sessions: Set<UInt64>
  /// The arrivals of the replayed sessions.
  var arrivals = SessionArrivals()
  private var streams: Set<CumulativeStream> = []

  init(_ days: Set<CalendarDay>, sessions: Set<UInt64>) {
    self.days = days
    self.sessions = sessions
  }

  /// The part of a batch that belongs to the days. All cumulative values are kept, because each is counted as the
  /// increase since the previous one.
  mutating func selected(of batch: DigestedBatch) -> DigestedBatch {
    var part = batch
    part.cells = batch.cells.filter { days.contains($0.bin.day) }
    part.agedCells = batch.agedCells.filter { days.contains($0.day) }
    part.diagnostics = batch.diagnostics.filter { days.contains($0.bin.day) }
    part.sessions = batch.sessions.filter { record in
      guard !sessions.contains(record.id) else { return true }
      guard days.contains(TimeBin(start: record.minute, resolution: .fiveMinutes).day) else { return false }
      sessions.insert(record.id)
      return true
    }
    part.tallies = []
    return part
  }

  /// Whether a record is the first of its stream in the replay.
  mutating func isFirst(of record: AccumulationRecord) -> Bool { streams.insert(record.accumulation).inserted }
}
