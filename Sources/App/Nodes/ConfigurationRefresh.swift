import Core
import Logging
import SQLiteStore
import Storage
import Synchronization
import Web

/// Updates an ingest node's copy of its primary's apps and keys every three seconds.
///
/// While the primary is down, the node continues with its copy, and answers unknown keys with 503 instead of 401,
/// because they may be new.
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

  /// The age in milliseconds after which the configuration may lack a key.
  static let staleAfter: Int64 = 30_000

  /// `tag`: the tag of the folder's configuration; nil if it is from an earlier start. `secret`: the folder's secret.
  init(
    _ client: PrimaryClient, _ control: SQLiteControlStore, secret: [UInt8], tag: String?, _ logger: Logger
  ) {
    (self.client, self.control, self.secret, self.logger) = (client, control, secret, logger)
    state = Mutex(State(tag: tag, confirmed: tag == nil ? nil : WallClock.now()))
  }

  /// Whether the primary confirmed the apps and keys within the last 30 seconds.
  var isCurrent: Bool {
    guard let confirmed = state.withLock({ $0.confirmed }) else { return false }
    return abs(WallClock.now().milliseconds - confirmed.milliseconds) < Self.staleAfter
  }

  /// When the primary last confirmed the apps and keys; nil if it has not since the start.
  var confirmed: Timestamp? { state.withLock { $0.confirmed } }

  /// Requests the configuration from the primary and stores changes.
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
      if isNew { logger.warning("Apps and keys cannot be updated: \(error).") }
    }
  }
}

/// The error of a node whose folder belongs to another installation than its primary.
struct ForeignPrimary: Error, CustomStringConvertible {
  let address: String

  var description: String {
    "this folder belongs to another installation than \(address): their secrets differ. Start with an empty folder"
  }
}
