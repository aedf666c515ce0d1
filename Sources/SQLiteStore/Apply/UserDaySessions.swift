import Telemetry

/// The sessions of one user on one day, by where they count.
struct UserDaySessions {
  /// Where a session counts.
  struct Place: Hashable {
    let cell: Int64
    let source: UInt8
  }

  struct Count {
    var all = 0
    var crashed = 0
  }

  private(set) var counts: [Place: Count] = [:]

  init() {}

  init(_ state: SessionState) { add(state, 1) }

  /// All of them.
  var count: Int { counts.values.reduce(0) { $0 + $1.all } }

  /// Adds a session, or takes it out (`sign` −1). Nothing is left of a place without sessions.
  mutating func add(_ state: SessionState, _ sign: Int) {
    add(
      Count(all: sign, crashed: state.outcome == .crashed ? sign : 0),
      at: Place(cell: state.cell, source: state.source))
  }

  mutating func add(_ more: Count, at place: Place) {
    var count = counts[place] ?? Count()
    count.all += more.all
    count.crashed += more.crashed
    counts[place] = count.all > 0 ? count : nil
  }
}
