import Core
import Dispatch
import Foundation
import Logging
import SQLiteStore
import Storage
import Synchronization

/// The thread of an ingest node that relays its journal to the primary, one frame at a time.
///
/// The first frame has no records, and the relay continues from the position in the primary's response. Unanswered
/// frames are sent again. The primary stores each record once.
final class NodeRelay: Sendable {
  /// The state of the relay, for `/readyz` and `/metrics`.
  struct Status: Sendable {
    var position: Int64 = 0
    var setAside: Int64 = 0
    /// When the primary last answered; nil if it never has.
    var relayed: Timestamp?
    /// The error of the last request; nil if the last request succeeded.
    var failure: String?
    var failures = 0
  }

  private let journal: SQLiteJournal
  private let client: PrimaryClient
  private let fingerprint: UInt64
  private let first: RelayPosition
  private let logger: Logger
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let shared: Mutex<(status: Status, isStopping: Bool)>

  /// The time between two frames in seconds, because each is a transaction on the primary. A full frame is followed at
  /// once.
  private static let interval = 0.2
  /// The time in seconds after which a node without new records sends an empty frame.
  static let heartbeat = 10.0
  private static let longestPause = 15.0
  /// The longest pause in seconds if a standby may have been promoted.
  private static let longestPauseBetweenPrimaries = 1.0
  /// How long the end of the process waits for the primary, in seconds. Remaining records stay in the journal.
  private static let farewell = 5.0

  /// - Parameters:
  ///   - state: the state that `SQLiteJournal.openRelay` returned.
  ///   - fingerprint: the fingerprint of the node's secret.
  init(_ journal: SQLiteJournal, _ state: RelayState, _ client: PrimaryClient, fingerprint: UInt64, _ logger: Logger) {
    (self.journal, self.client, self.fingerprint, self.logger) = (journal, client, fingerprint, logger)
    first = RelayPosition(state)
    shared = Mutex((Status(position: state.position, setAside: state.setAside), false))
  }

  var status: Status { shared.withLock { $0.status } }
  private var isStopping: Bool { shared.withLock { $0.isStopping } }

  /// Starts the thread.
  func start() {
    DispatchQueue(label: "plumb.relay", qos: .utility).async { [self] in
      run(first)
      ended.signal()
    }
  }

  /// Wakes the thread to relay new records. Never blocks.
  func noteAppended() { wake.signal() }

  /// Relays for at most five seconds, and ends the thread.
  func stop() {
    shared.withLock { $0.isStopping = true }
    wake.signal()
    _ = ended.wait(timeout: .now() + Self.farewell)
  }

  // MARK: The thread

  private func run(_ position: RelayPosition) {
    var session = Session(position: position)
    var failures = 0
    while true {
      var pause = Self.interval
      do {
        let isIdle = try relay(&session)
        succeeded(session)
        failures = 0
        if isStopping, isIdle { return }
        if session.hasMore { continue }
        if isIdle {
          wait(seconds: Self.heartbeat)
          continue
        }
      } catch {
        failed(error)
        if isStopping { return }
        failures += 1
        let longest = client.hasAlternatives ? Self.longestPauseBetweenPrimaries : Self.longestPause
        pause = min(longest, 0.5 * pow(2, Double(min(failures, 10))))
      }
      Thread.sleep(forTimeInterval: isStopping ? 0 : pause)
    }
  }

  private func wait(seconds: Double) {
    _ = wake.wait(timeout: .now() + seconds)
    // One frame has the records of several commits.
    while wake.wait(timeout: .now()) == .success {}
  }

  private struct Session {
    var position: RelayPosition
    var hasMet = false
    /// Whether the last frame was full, so that the next follows at once.
    var hasMore = false
    /// The epoch of the primary, as stored.
    var epoch = Epoch(number: 0)
    /// Whether the primary rejected a frame, so that requests are sent one by one.
    var isNarrow = false
  }

  /// Sends one frame. True if there was nothing to send.
  private func relay(_ session: inout Session) throws -> Bool {
    let (state, hadMet) = (session.position.state, session.hasMet)
    let limit = session.isNarrow ? 0 : RelayFrame.usual
    let found =
      session.hasMet
      ? try journal.parts(after: state.position, limit: limit) : RelayParts(parts: [], through: state.position)
    var lost = 0
    let parts = found.parts.map { part in
      if case .records(let records) = part, records.bytes.count <= RelayFrame.largest - Self.overhead { return part }
      lost += part.count
      return RelayPart.missing(part.count)
    }
    if lost > 0 { logLoss(of: lost, "are missing, cannot be read or are too large", after: state.position) }
    do throws(PrimaryClient.Failure) {
      try send(parts, through: found.through, lost: lost, &session)
      session.isNarrow = false
    } catch {
      // The primary has rejected a body that this node made, so something in it is damaged.
      guard error.isAboutBody, session.hasMet, !parts.isEmpty else { throw error }
      guard session.isNarrow else {
        session.isNarrow = true
        throw error
      }
      let count = parts.reduce(0) { $0 + $1.count }
      logLoss(of: count, "were rejected (\(error))", after: state.position)
      try send([.missing(count)], through: found.through, lost: count, &session)
    }
    try journal.store(session.position.state)
    try noteEpoch(&session)
    return hadMet && parts.isEmpty
  }

  /// Stores a new epoch, so that an earlier primary is refused also after a restart.
  private func noteEpoch(_ session: inout Session) throws {
    let epoch = client.epoch
    guard epoch != session.epoch else { return }
    try journal.raise(epoch: epoch)
    session.epoch = epoch
  }

  private func send(
    _ parts: [RelayPart], through: Int64, lost: Int, _ session: inout Session
  ) throws(PrimaryClient.Failure) {
    let state = session.position.state
    session.hasMore = false
    session.position.send(through: through)
    let frame = RelayFrame(fingerprint: fingerprint, parts: parts)
    switch try client.relay(frame, of: state.identity, after: state.position) {
    case .taken(let position, let refused):
      session.position.setAside(refused.values.reduce(lost) { $0.saturatingAdd($1) })
      for (reason, count) in refused.sorted(by: { $0.key < $1.key }) {
        logLoss(of: count, reason, after: state.position)
      }
      note(position, &session)
      session.hasMore = session.isNarrow || Self.size(of: parts) >= RelayFrame.usual / 2
      session.hasMet = true
    case .elsewhere(let position):
      note(position, &session)
      session.hasMore = true
      session.hasMet = true
    }
  }

  private static func size(of parts: [RelayPart]) -> Int {
    parts.reduce(0) { sum, part in if case .records(let records) = part { sum + records.bytes.count } else { sum } }
  }

  private func note(_ position: Int64, _ session: inout Session) {
    let before = session.position.state
    switch session.position.note(position, fresh: NodeID.random) {
    case .forward: break
    case .back:
      logger.warning(
        """
        \(client.address) has records of this node through \(position), but had them through \(before.position). Later \
        records are relayed again.
        """
      )
    case .renamed:
      logger.warning(
        """
        \(client.address) has records of node \(before.identity.text) through \(position), which were never in this \
        folder. The folder is an old copy, or another machine uses a copy. Records after \
        \(session.position.state.position) are relayed as node \(session.position.state.identity.text).
        """)
    }
  }

  /// The bytes of a frame beyond the records of one request.
  private static let overhead = 1 << 10

  // MARK: Status

  private func logLoss(of count: Int, _ reason: String, after position: Int64) {
    logger.error("\(count) records after \(position) of this node's journal \(reason). They are not relayed.")
  }

  private func succeeded(_ session: Session) {
    let state = session.position.state
    let ended = shared.withLock { shared in
      defer { shared.status.failure = nil }
      (shared.status.position, shared.status.setAside) = (state.position, state.setAside)
      shared.status.relayed = WallClock.now()
      return shared.status.failure != nil
    }
    if ended { logger.notice("The relay to \(client.address) works again.") }
  }

  private func failed(_ error: any Error) {
    let text = "\(error)"
    let isNew = shared.withLock { shared in
      defer { shared.status.failure = text }
      shared.status.failures += 1
      return shared.status.failure != text
    }
    if isNew { logger.warning("The relay failed and will be retried: \(text).") }
  }
}

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
  mutating func setAside(_ count: Int) { state.setAside = state.setAside.saturatingAdd(Int64(count)) }

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
