import Statistics
import Synchronization

/// A cache of the numbers computed from a series, because one page uses them several times. Copies of a series share
/// it; a series that is changed starts a new one.
final class SeriesMemo: Sendable {
  private let measured = Mutex<Measure??>(nil)
  private let united = Mutex<(all: UserUnion, crashed: UserUnion)?>(nil)
  private let used = Atomic(false)

  /// Whether anything has been computed.
  var isUsed: Bool { used.load(ordering: .relaxed) }

  /// The series' measure, computed by `workOut` at the first call and then cached.
  func measure(_ workOut: () -> Measure?) -> Measure? {
    measured.withLock { known in
      if let known { return known }
      used.store(true, ordering: .relaxed)
      let measure = workOut()
      known = .some(measure)
      return measure
    }
  }

  /// The distinct users of all days, computed by `workOut` at the first call and then cached.
  func union(_ workOut: () -> (all: UserUnion, crashed: UserUnion)) -> (all: UserUnion, crashed: UserUnion) {
    united.withLock { known in
      if let known { return known }
      used.store(true, ordering: .relaxed)
      let union = workOut()
      known = union
      return union
    }
  }
}
