import Storage
import Telemetry

/// The winning update of one session.
struct SessionState: Equatable {
  var outcome: SessionOutcome
  var sequence: Int64
  var isSequenceExplicit: Bool
  var user: UInt64?
  /// The update that named the user; nil when it is the winning one, or when nobody did.
  var userRank: SessionRank?
  /// Minute of its start, by the app's clocks.
  var minute: Int
  /// Slice of the cell it counts in.
  var cell: Int64
  var source: UInt8
  /// Day of the last receipt.
  var received: Int

  init(_ record: SessionRecord, cell: Int64) {
    outcome = record.outcome
    sequence = record.sequence
    isSequenceExplicit = record.isSequenceExplicit
    user = record.user
    minute = record.minute
    self.cell = cell
    source = record.key.source.rawValue
    received = record.received.day().number
  }

  init(
    outcome: SessionOutcome, sequence: Int64, isSequenceExplicit: Bool, user: UInt64?, userRank: SessionRank?,
    minute: Int, cell: Int64, source: UInt8, received: Int
  ) {
    self.outcome = outcome
    self.sequence = sequence
    self.isSequenceExplicit = isSequenceExplicit
    self.user = user
    self.userRank = userRank
    self.minute = minute
    self.cell = cell
    self.source = source
    self.received = received
  }

  var day: CalendarDay { TimeBin(start: minute, resolution: .fiveMinutes).day }

  /// The day or finer bin its outcome is counted in, by its age when it was last heard of.
  var bin: TimeBin { TimeBin(containing: minute, age: received * 1440 - minute) }

  /// This state after another update, whatever the order of arrival. The greatest (crashed, explicit, sequence,
  /// outcome) wins; the user is that of the greatest update that names one; a session starts when its earliest update
  /// says.
  ///
  /// `precedes` orders the names behind two cells: of two updates that are equally great, the one of the later cell wins.
  func merged(
    with other: SessionState, precedes: (_ cell: Int64, _ other: Int64) throws -> Bool
  ) rethrows -> SessionState {
    let (lower, higher) = try rises(to: other, precedes) ? (self, other) : (other, self)
    var winner = higher
    if let namer = Self.namer(of: self, other) {
      winner.user = namer.user
      winner.userRank = namer.namingRank == higher.rank ? nil : namer.namingRank
    }
    winner.minute = min(lower.minute, higher.minute)
    winner.received = max(lower.received, higher.received)
    return winner
  }

  private func rises(to other: SessionState, _ precedes: (Int64, Int64) throws -> Bool) rethrows -> Bool {
    let (mine, theirs) = ((rank, outcome.rawValue), (other.rank, other.outcome.rawValue))
    if mine != theirs { return mine < theirs }
    return cell == other.cell ? source < other.source : try precedes(cell, other.cell)
  }

  /// Of two updates that name a user and are equally great, the one with the greater hash: any rule will do that does not
  /// ask which came first.
  private static func namer(of one: SessionState, _ other: SessionState) -> SessionState? {
    guard let user = one.user else { return other.user == nil ? nil : other }
    guard let theirs = other.user else { return one }
    return (one.namingRank, user) < (other.namingRank, theirs) ? other : one
  }

  private var rank: SessionRank {
    SessionRank(grade: (outcome == .crashed ? 2 : 0) + (isSequenceExplicit ? 1 : 0), sequence: sequence)
  }

  private var namingRank: SessionRank { userRank ?? rank }
}

/// How much an update of a session weighs against another.
struct SessionRank: Equatable, Comparable {
  /// 2: crashed, 1: its number was explicit, or their sum.
  var grade: Int
  var sequence: Int64

  static func < (left: SessionRank, right: SessionRank) -> Bool {
    (left.grade, left.sequence) < (right.grade, right.sequence)
  }
}
