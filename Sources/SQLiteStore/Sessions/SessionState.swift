import Core
import Storage

/// The merged state of one session, as stored in the table `session`.
struct SessionState: Equatable {
  // A batch has tens of thousands, so the fields are in an order that leaves little space between them.
  var sequence: Int64
  /// The session's start in minutes since 1970, by the clocks of the app's time zone.
  var minute: Int
  /// The id of the slice of the cell in which the session is counted.
  var cell: Int64
  /// The day of the last receipt, in days since 1970.
  var received: Int
  var user: UInt64?
  var outcome: SessionOutcome
  /// Whether the app hung in the session, according to any of its updates or to a diagnostic.
  var hasHang: Bool
  var isSequenceExplicit: Bool
  var source: UInt8
  /// The age of the installation's update at the start; nil without an installation.
  var age: UpdateAge?
  /// The rank of the update with the user; nil if that is the winning update, or if no update has a user.
  var userRank: SessionRank?

  var day: CalendarDay { TimeBin(start: minute, resolution: .fiveMinutes).day }

  /// The bin in which the outcome is counted: a day, or finer if the session was recent at its last receipt.
  var bin: TimeBin { TimeBin(containing: minute, age: received * 1440 - minute) }

  /// The state after another update, regardless of the order of arrival. The greatest (crashed, explicit, sequence,
  /// outcome) wins; the user is that of the greatest update with a user; the start is the earliest of all updates.
  ///
  /// `precedes` orders two cells by their names: among equal updates the one with the later cell wins.
  func merged(
    with other: SessionState, precedes: (_ cell: Int64, _ other: Int64) throws -> Bool
  ) rethrows -> SessionState {
    let (lower, higher) = try isLess(than: other, precedes) ? (self, other) : (other, self)
    var winner = higher
    if let naming = Self.latestNaming(self, other) {
      winner.user = naming.user
      winner.userRank = naming.namingRank == higher.rank ? nil : naming.namingRank
    }
    winner.hasHang = lower.hasHang || higher.hasHang
    winner.minute = min(lower.minute, higher.minute)
    winner.age = age ?? other.age
    winner.received = max(lower.received, higher.received)
    return winner
  }

  private func isLess(than other: SessionState, _ precedes: (Int64, Int64) throws -> Bool) rethrows -> Bool {
    let (mine, theirs) = ((rank, outcome.rawValue), (other.rank, other.outcome.rawValue))
    if mine != theirs { return mine < theirs }
    return cell == other.cell ? source < other.source : try precedes(cell, other.cell)
  }

  /// The greater of two updates with a user. If they are equal, it is the one with the greater hash, so that the result
  /// does not depend on the order of arrival.
  private static func latestNaming(_ one: SessionState, _ other: SessionState) -> SessionState? {
    guard let user = one.user else { return other.user == nil ? nil : other }
    guard let theirs = other.user else { return one }
    return (one.namingRank, user) < (other.namingRank, theirs) ? other : one
  }

  private var rank: SessionRank {
    SessionRank(grade: (outcome == .crashed ? 2 : 0) + (isSequenceExplicit ? 1 : 0), sequence: sequence)
  }

  private var namingRank: SessionRank { userRank ?? rank }
}

extension SessionState {
  init(_ record: SessionRecord, cell: Int64) {
    self.init(
      sequence: record.sequence, minute: record.minute, cell: cell, received: record.received.day().number,
      user: record.user, outcome: record.outcome, hasHang: record.hasHang,
      isSequenceExplicit: record.isSequenceExplicit, source: record.key.source.rawValue)
  }
}

/// The order of a session's updates; the greatest wins.
struct SessionRank: Equatable, Comparable {
  /// The first criterion: 2 for a crash, plus 1 for an explicit sequence number.
  var grade: Int
  var sequence: Int64

  static func < (left: SessionRank, right: SessionRank) -> Bool {
    (left.grade, left.sequence) < (right.grade, right.sequence)
  }
}
