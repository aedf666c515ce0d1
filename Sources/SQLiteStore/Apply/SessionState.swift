import Storage
import Telemetry

/// The winning update of one session.
struct SessionState: Equatable {
  var outcome: SessionOutcome
  var sequence: Int64
  var isSequenceExplicit: Bool
  var user: UInt64?
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
    outcome: SessionOutcome, sequence: Int64, isSequenceExplicit: Bool, user: UInt64?, minute: Int, cell: Int64,
    source: UInt8, received: Int
  ) {
    self.outcome = outcome
    self.sequence = sequence
    self.isSequenceExplicit = isSequenceExplicit
    self.user = user
    self.minute = minute
    self.cell = cell
    self.source = source
    self.received = received
  }

  var day: CalendarDay { TimeBin(start: minute, resolution: .fiveMinutes).day }

  /// The day or finer bin its outcome is counted in, by its age when it was last heard of.
  var bin: TimeBin { TimeBin(containing: minute, age: received * 1440 - minute) }

  /// This state after another update, whatever the order of arrival. The greatest (crashed, explicit, sequence,
  /// outcome) wins; a user is kept once known; a session starts when its earliest update says.
  func merged(with other: SessionState) -> SessionState {
    var (winner, loser) = other.rank > rank ? (other, self) : (self, other)
    winner.user = winner.user ?? loser.user
    winner.minute = min(winner.minute, loser.minute)
    winner.received = max(winner.received, loser.received)
    return winner
  }

  private var rank: (Int, Int, Int64, UInt8) {
    (outcome == .crashed ? 1 : 0, isSequenceExplicit ? 1 : 0, sequence, outcome.rawValue)
  }
}
