import Core
import Logging
import SQLiteStore
import Storage
import Synchronization
import Web

/// Keeps an ingest node's copy of its primary's apps and keys current: asks every three seconds.
///
/// While the primary is away, the node goes on with what it has, and answers unknown keys with 503 instead of 401: they
/// may be new.
final class ConfigurationRefresh: Sendable {
  private let client: PrimaryClient
  private let control: SQLiteControlStore
  private let secret: [UInt8]
  private let logger: Logger
  private let state: Mutex<State>

  private struct State {
    var tag: String?
    var confirmed: Timestamp?
    var failure: String?
  }

  /// The age from which the configuration may miss a key, in milliseconds.
  private static let staleAfter: Int64 = 30_000

  /// `tag`: of the configuration that the folder has; nil if it is of an earlier start. `secret`: the folder's.
  init(
    _ client: PrimaryClient, _ control: SQLiteControlStore, secret: [UInt8], tag: String?, _ logger: Logger
  ) {
    (self.client, self.control, self.secret, self.logger) = (client, control, secret, logger)
    state = Mutex(State(tag: tag, confirmed: tag == nil ? nil : WallClock.now()))
  }

  /// Whether the apps and keys are those of a moment ago.
  var isCurrent: Bool {
    guard let confirmed = state.withLock({ $0.confirmed }) else { return false }
    return abs(WallClock.now().milliseconds - confirmed.milliseconds) < Self.staleAfter
  }

  /// When the primary last confirmed them; nil if it did not since the start.
  var confirmed: Timestamp? { state.withLock { $0.confirmed } }

  /// Asks the primary, and stores what changed.
  func refresh() {
    do {
      if let (fresh, tag) = try client.configuration(known: state.withLock { $0.tag }) {
        guard fresh.secret == secret else { throw ForeignPrimary(address: client.address) }
        try control.copy(apps: fresh.apps, tokens: fresh.tokens)
        state.withLock { $0.tag = tag }
      }
      state.withLock { ($0.confirmed, $0.failure) = (WallClock.now(), nil) }
    } catch {
      let isNew = state.withLock { state in
        defer { state.failure = "\(error)" }
        return state.failure != "\(error)"
      }
      if isNew { logger.warning("Apps and keys stay as they are: \(error).") }
    }
  }
}

/// The error of a node whose folder is of another installation than its primary.
struct ForeignPrimary: Error, CustomStringConvertible {
  let address: String

  var description: String {
    "\(address) has another secret than this folder, which is of another installation: begin with an empty folder"
  }
}
