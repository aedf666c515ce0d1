import Bytes
public import Statistics
public import Telemetry

/// Sessions by outcome, with what an interval needs to know about users. A delta may be negative: the winning update
/// of a session takes the place of the one before.
public struct SessionTally: Sendable, Equatable {
  /// Sessions by raw value of their outcome.
  public var counts: [Int64]
  /// Over user-days (sessions without a user count as one each): x crashed sessions of y sessions.
  public var userDays: PairSum
  /// User-days, and those with a crash, of sessions whose user is known.
  public var knownUserDays: Int64
  public var crashedUserDays: Int64

  public init() {
    counts = [Int64](repeating: 0, count: SessionOutcome.allCases.count)
    userDays = PairSum()
    knownUserDays = 0
    crashedUserDays = 0
  }

  /// All sessions.
  public var total: Int64 { counts.reduce(0) { $0.addingSaturated($1) } }
  /// Nothing is counted.
  public var isEmpty: Bool { self == SessionTally() }

  /// The number of sessions that went so.
  public subscript(outcome: SessionOutcome) -> Int64 {
    get { counts[Int(outcome.rawValue)] }
    set { counts[Int(outcome.rawValue)] = newValue }
  }

  /// The sum of both.
  public func merged(with other: SessionTally) -> SessionTally {
    var sum = self
    for index in sum.counts.indices { sum.counts[index] = counts[index].addingSaturated(other.counts[index]) }
    sum.userDays.merge(other.userDays)
    sum.knownUserDays = knownUserDays.addingSaturated(other.knownUserDays)
    sum.crashedUserDays = crashedUserDays.addingSaturated(other.crashedUserDays)
    return sum
  }

  func encode(into writer: inout ByteWriter) {
    for count in counts { writer.signed(count) }
    userDays.encode(into: &writer)
    writer.signed(knownUserDays)
    writer.signed(crashedUserDays)
  }

  init(from reader: inout ByteReader) throws(DamagedBytes) {
    self.init()
    for index in counts.indices { counts[index] = try reader.signed() }
    userDays = try PairSum(from: &reader)
    knownUserDays = try reader.signed()
    crashedUserDays = try reader.signed()
  }
}

/// The users of a day, and those of them who saw a crash.
public struct UserTally: Sendable, Equatable {
  public var all: UserSet
  public var crashed: UserSet

  public init(all: UserSet = UserSet(), crashed: UserSet = UserSet()) {
    self.all = all
    self.crashed = crashed
  }

  /// Unites both sets with another day's or part's.
  public mutating func merge(_ other: UserTally) {
    all.merge(other.all)
    crashed.merge(other.crashed)
  }

  /// Takes users out of both sets, as far as they are kept one by one.
  public mutating func subtract(_ other: UserTally) {
    all.subtract(other.all)
    crashed.subtract(other.crashed)
  }

  /// Nobody is in either set.
  public var isEmpty: Bool { self == UserTally() }
}
