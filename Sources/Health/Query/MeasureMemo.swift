import Statistics
import Synchronization

/// What has been worked out from a series: one page asks for the same number several times. Copies of a series share it,
/// and a series that takes in a row begins a new one.
final class MeasureMemo: Sendable {
  private let measured = Mutex<Measure??>(nil)
  private let united = Mutex<(all: UserUnion, crashed: UserUnion)?>(nil)

  /// Whether anything has been asked for.
  var isUsed: Bool { measured.withLock { $0 != nil } || united.withLock { $0 != nil } }

  /// The measure, worked out the first time it is asked for.
  func measure(_ workOut: () -> Measure?) -> Measure? {
    measured.withLock { known in
      if let known { return known }
      let measure = workOut()
      known = .some(measure)
      return measure
    }
  }

  /// Users of all days, united the first time they are asked for.
  func union(_ workOut: () -> (all: UserUnion, crashed: UserUnion)) -> (all: UserUnion, crashed: UserUnion) {
    united.withLock { known in
      if let known { return known }
      let union = workOut()
      known = union
      return union
    }
  }
}
