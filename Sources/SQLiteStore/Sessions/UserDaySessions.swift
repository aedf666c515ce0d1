import Core
import Storage

/// The numbers of a user's sessions on one day, of crashed ones and of those with a hang, by location.
struct UserDaySessions {
  /// The cell and source in which a session is counted.
  struct Location: Hashable {
    let cell: Int64
    let source: UInt8
  }

  struct Count {
    var all = 0
    var crashed = 0
    var withHang = 0

    /// Adds a session, or removes it (`sign` −1).
    mutating func add(_ outcome: SessionOutcome, hasHang: Bool, sign: Int) {
      all += sign
      crashed += outcome == .crashed ? sign : 0
      withHang += hasHang ? sign : 0
    }

    mutating func add(_ other: Count) {
      all += other.all
      crashed += other.crashed
      withHang += other.withHang
    }
  }

  private(set) var counts: [Location: Count] = [:]

  init() {}

  init(_ state: SessionState) { add(state, 1) }

  /// The number of a user-day's sessions in all cells.
  var count: Int { counts.values.reduce(0) { $0 + $1.all } }

  /// Adds a session, or removes it (`sign` −1). A location without sessions is removed.
  mutating func add(_ state: SessionState, _ sign: Int) {
    var count = Count()
    count.add(state.outcome, hasHang: state.hasHang, sign: sign)
    add(count, at: Location(cell: state.cell, source: state.source))
  }

  mutating func add(_ more: Count, at location: Location) {
    var count = counts[location] ?? Count()
    count.add(more)
    counts[location] = count.all > 0 ? count : nil
  }
}

/// The rows in which a user is counted on a day, and those in which the user had a crash.
struct UserRows {
  private(set) var all: Set<RowKey> = []
  private(set) var crashed: Set<RowKey> = []
  /// The calendar day of the user's sessions; nil without sessions.
  let day: CalendarDay?

  /// The number of rows for a user whose sessions are all in one cell, without attributes.
  private static let usualRollups = 6

  /// Finds the rows in which a user is counted. `slices` returns the slices of a cell: first the cell, then its
  /// rollups. Only rollups count users.
  init(of sessions: UserDaySessions, on day: CalendarDay, slices: (Int64) throws -> [Int64]) rethrows {
    self.day = sessions.counts.isEmpty ? nil : day
    if !sessions.counts.isEmpty { all.reserveCapacity(Self.usualRollups) }
    for (location, count) in sessions.counts {
      for slice in try slices(location.cell).dropFirst() {
        let row = RowKey(slice: slice, metric: Int64(Catalogue.users), bin: TimeBin(day), source: location.source)
        all.insert(row)
        if count.crashed > 0 { crashed.insert(row) }
      }
    }
  }
}

/// A user of an app on one day: the key of the sessions that the user started on that day.
struct UserDay: Hashable, Comparable {
  let app: AppID
  let user: UInt64
  let day: CalendarDay

  /// The order of the index.
  static func < (left: UserDay, right: UserDay) -> Bool {
    (left.app, Int64(bitPattern: left.user), left.day) < (right.app, Int64(bitPattern: right.user), right.day)
  }
}
