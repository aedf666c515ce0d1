import Core
import Storage

/// The key of a row in `day_pack`: a slice, a day and a source in one integer, which is the row's id. Packs of a slice
/// are consecutive by day.
struct DayPackKey: Hashable, Comparable {
  let id: Int64

  init(id: Int64) { self.id = id }

  /// Nil for numbers that do not fit into a key.
  init?(slice: Int64, day: CalendarDay, source: UInt8) {
    guard slice > 0, slice < 1 << 36, Self.days.contains(day.number), source < 16 else { return nil }
    id = Self.first(of: slice, from: day) | Int64(source)
  }

  /// The days that fit into a key.
  private static let days = -(1 << 20)..<3 << 20

  /// The lowest id of a slice's packs from a day on.
  static func first(of slice: Int64, from day: CalendarDay) -> Int64 {
    let number = min(max(day.number, days.lowerBound), days.upperBound)
    return slice << 26 + Int64(number - days.lowerBound) << 4
  }

  /// All ids of a slice's packs.
  static func ids(of slice: Int64) -> Range<Int64> { slice << 26..<(slice + 1) << 26 }

  var slice: Int64 { id >> 26 }
  var day: CalendarDay { CalendarDay(number: Int(id >> 4 & (1 << 22 - 1)) + Self.days.lowerBound) }
  var source: UInt8 { UInt8(truncatingIfNeeded: id & 15) }

  /// The key of the row that a series of the pack would have if it were stored as a row.
  func row(_ series: SeriesKey) -> RowKey {
    RowKey(slice: slice, metric: series.metric, bin: TimeBin(day), label: series.label, source: source)
  }

  static func < (left: DayPackKey, right: DayPackKey) -> Bool { left.id < right.id }
}

/// A series within a pack.
struct SeriesKey: Hashable, Comparable {
  var metric: Int64
  var label: Int64

  static func < (left: SeriesKey, right: SeriesKey) -> Bool {
    left.metric == right.metric ? left.label < right.label : left.metric < right.metric
  }
}
