public import Core
public import Storage
internal import Synchronization

/// An in-memory copy of the ingest keys, read tokens and user names in the control database, for checks on every
/// request.
///
/// The store is checked for changes by other processes at most once per second, so a new or removed key takes effect
/// within a second. A lookup of an unknown key or token checks the store at most every 50 ms, so the key of a new app
/// works at once. If the store cannot be read, the last values stay in effect.
public final class AccessCache: Sendable {
  private struct Snapshot: Sendable {
    var version: Int64
    var keys: [String: KeyEntry]
    var tokens: [String: AccessToken]
  }

  /// An app and one of its ingest keys. It is a class, so that a lookup copies only one reference under the lock.
  private final class KeyEntry: Sendable {
    let app: App
    let key: IngestKey

    init(app: App, key: IngestKey) {
      self.app = app
      self.key = key
    }
  }

  private struct State {
    var snapshot: Snapshot
    /// When the store was last checked.
    var checked: Timestamp
    /// When the store was last checked for an unknown key or token. It is separate, because a check for a known key may
    /// have read the store just before the unknown key was added, or may still be reading it.
    var checkedForUnknown: Timestamp?
    /// True if the last read of the store failed.
    var hasFailed = false
  }

  private let store: any ControlStore
  private let onFailure: @Sendable (any Error) -> Void
  private let state: Mutex<State>

  /// Reads all keys, tokens and user names. `onFailure` receives the errors of later reads.
  public init(
    store: any ControlStore, at now: Timestamp, onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) throws {
    self.store = store
    self.onFailure = onFailure
    state = Mutex(State(snapshot: try Self.read(store), checked: now))
  }

  /// The app of an ingest key; nil unless the key is known and valid at `now`. Reads only memory and never blocks.
  func knownApp(forKey key: String, at now: Timestamp) -> App? {
    guard let found = state.withLock({ $0.snapshot.keys[key] }), found.key.isValid(at: now) else { return nil }
    return found.app
  }

  /// The stored entry of a read token; nil if the token is unknown. Reads only memory and never blocks.
  func knownToken(_ text: String) -> AccessToken? {
    guard let hash = TokenHash.of(text) else { return nil }
    return state.withLock { $0.snapshot.tokens[hash] }
  }

  /// Whether the last read of the store succeeded.
  var isReadable: Bool { state.withLock { !$0.hasFailed } }

  /// Returns true if the store must be checked now; the caller then calls `refresh`, which may block. The interval is 1
  /// s after any check for a known key (`isKnown`), and 50 ms after the last unknown key for an unknown key.
  func takeTurn(isKnown: Bool, at now: Timestamp) -> Bool {
    state.withLock { Self.takeTurn(&$0, isKnown: isKnown, at: now) }
  }

  private static func takeTurn(_ state: inout State, isKnown: Bool, at now: Timestamp) -> Bool {
    if let last = isKnown ? state.checked : state.checkedForUnknown {
      let age = now.milliseconds.subtractingReportingOverflow(last.milliseconds)
      // The age is negative if the clock was set back.
      if !age.overflow, (0..<(isKnown ? 1000 : 50)).contains(age.partialValue) { return false }
    }
    state.checked = now
    if !isKnown { state.checkedForUnknown = now }
    return true
  }

  /// The app of an ingest key; nil unless the key is known and valid at `now`. May block to read the store.
  func app(forKey key: String, at now: Timestamp) -> App? {
    guard let found = find(at: now, { $0.keys[key] }), found.key.isValid(at: now) else { return nil }
    return found.app
  }

  /// The stored entry of a read token; nil if the token is unknown. May block to read the store.
  func token(_ text: String, at now: Timestamp) -> AccessToken? {
    guard let hash = TokenHash.of(text) else { return nil }
    return find(at: now) { $0.tokens[hash] }
  }

  private func find<Value>(at now: Timestamp, _ look: (Snapshot) -> Value?) -> Value? {
    let (found, isDue) = state.withLock { state in
      let found = look(state.snapshot)
      return (found, Self.takeTurn(&state, isKnown: found != nil, at: now))
    }
    guard isDue else { return found }
    refresh()
    return state.withLock { look($0.snapshot) }
  }

  /// Reads the store again if its version has changed. Blocks while it reads.
  func refresh() {
    do {
      let known = state.withLock { $0.snapshot.version }
      let fresh = try store.version() == known ? nil : Self.read(store)
      state.withLock { state in
        state.hasFailed = false
        if let fresh { state.snapshot = fresh }
      }
    } catch {
      state.withLock { $0.hasFailed = true }
      onFailure(error)
    }
  }

  private static func read(_ store: any ControlStore) throws -> Snapshot {
    // Read the version first, so that the next check finds a change between the two reads.
    let version = try store.version()
    let apps = try store.apps()
    let keys = apps.flatMap { app in app.keys.map { ($0.key, KeyEntry(app: app, key: $0)) } }
    return Snapshot(
      version: version, keys: Dictionary(keys, uniquingKeysWith: { first, _ in first }),
      tokens: Dictionary(try store.tokens().map { ($0.hash, $0) }, uniquingKeysWith: { first, _ in first }))
  }
}
