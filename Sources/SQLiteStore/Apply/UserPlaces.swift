import Storage
import Telemetry

/// In which rows a user is counted on a day, and in which of them as one who saw a crash.
struct UserPlaces {
  private(set) var all: Set<RowKey> = []
  private(set) var crashed: Set<RowKey> = []
  /// The day; nil without any session.
  let day: CalendarDay?

  /// `slices` names the slices that hold a cell: itself first, then its marginals. Only those count users.
  init(of sessions: UserDaySessions, on day: CalendarDay, slices: (Int64) throws -> [Int64]) rethrows {
    self.day = sessions.counts.isEmpty ? nil : day
    for (place, count) in sessions.counts {
      for slice in try slices(place.cell).dropFirst() {
        let row = RowKey(slice: slice, metric: Int64(Catalogue.users), bin: TimeBin(day), source: place.source)
        all.insert(row)
        if count.crashed > 0 { crashed.insert(row) }
      }
    }
  }
}
