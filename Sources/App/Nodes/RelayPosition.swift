import Storage

/// Which position of the primary an ingest node goes on from: pure, so that every order of events can be tried.
///
/// A data folder that was put back from an old copy, or copied to a second machine, has records of its own under
/// sequences that the primary knows with others. So a position that this node cannot have caused means that its name is
/// used elsewhere: it takes another one, under which the records that no other folder can have are relayed.
struct RelayPosition {
  private(set) var state: RelayState
  /// The last sequence that this process sent, or that the primary may have from before its start. It never falls: a
  /// request that a killed process sent may still be carried out.
  private var ceiling: Int64
  /// The sequence from which records are relayed under another name.
  private var confirmed: Int64

  /// `state`: as stored when the journal was opened.
  init(_ state: RelayState) {
    self.state = state
    ceiling = state.opened ?? state.position
    confirmed = ceiling
  }

  /// What became of a position.
  enum Step: Equatable {
    case forward
    /// The primary lacks records that it had: it was put back from a copy, or forgot the node.
    case back
    /// The name is used by another folder, or this folder is an old copy; the node has a new one.
    case renamed
  }

  /// Counts records that could not be relayed.
  mutating func setAside(_ count: Int) { state.setAside = state.setAside.addingSaturated(Int64(count)) }

  /// Notes that the sequences up to `through` are being sent.
  mutating func send(through: Int64) { ceiling = max(ceiling, through) }

  /// Notes the position that the primary answered. `fresh` makes a new name.
  mutating func note(_ position: Int64, fresh: () -> NodeID) -> Step {
    guard position >= 0, position <= ceiling else {
      state.identity = fresh()
      state.position = confirmed
      // The records above are new under the new name.
      (ceiling, state.opened) = (confirmed, nil)
      return .renamed
    }
    let step: Step = position < state.position ? .back : .forward
    (state.position, state.opened) = (position, nil)
    confirmed = position
    return step
  }
}
