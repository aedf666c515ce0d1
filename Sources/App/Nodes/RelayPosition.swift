import Storage

/// The position from which an ingest node continues. Pure, so that every order of events can be tested.
///
/// A data folder that was restored from an old copy, or copied to a second machine, can have other records under
/// sequences that the primary already has. A position that this node cannot have caused therefore means that another
/// folder uses the same identity. The node then takes a new identity, under which it relays the records that only this
/// folder has.
struct RelayPosition {
  private(set) var state: RelayState
  /// The last sequence that this process sent, or that the primary may have from before its start. It never decreases,
  /// because the primary may still process a request of a killed process.
  private var ceiling: Int64
  /// The sequence after which records are relayed under a new identity.
  private var confirmed: Int64

  /// `state`: the stored state when the journal was opened.
  init(_ state: RelayState) {
    self.state = state
    ceiling = state.opened ?? state.position
    confirmed = ceiling
  }

  /// The result of `note`.
  enum Step: Equatable {
    case forward
    /// The primary lacks records that it had, because it was restored from a backup or has forgotten the node.
    case back
    /// Another folder uses the identity, or this folder is an old copy. The node has a new identity.
    case renamed
  }

  /// Counts records that could not be relayed.
  mutating func setAside(_ count: Int) { state.setAside = state.setAside.addingSaturated(Int64(count)) }

  /// Notes that the sequences up to `through` are being sent.
  mutating func send(through: Int64) { ceiling = max(ceiling, through) }

  /// Notes the position in the primary's response. `fresh` makes a new identity.
  mutating func note(_ position: Int64, fresh: () -> NodeID) -> Step {
    guard position >= 0, position <= ceiling else {
      state.identity = fresh()
      state.position = confirmed
      // The records after it are new under the new identity.
      (ceiling, state.opened) = (confirmed, nil)
      return .renamed
    }
    let step: Step = position < state.position ? .back : .forward
    (state.position, state.opened) = (position, nil)
    confirmed = position
    return step
  }
}
