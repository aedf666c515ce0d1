public import Storage
internal import Synchronization
public import Telemetry

/// Keys, tokens and user names of the control database in memory, for checks on every request.
///
/// At most once a second the store is checked for changes of other processes, so that a new or removed key is seen
/// within a second. For a key or token that is not in memory that is at most every 50 ms, so that the key of an app
/// just added works at once. While the store cannot be read, the last values stay in force.
public final class AccessCache: Sendable {
  private struct Snapshot: Sendable {
    var version: Int64
    var keys: [String: KeyEntry]
    var tokens: [String: AccessToken]
    /// In lower case.
    var users: Set<String>
  }

  /// An object, so that a lookup copies one reference under the lock.
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
    var checked: Timestamp
    /// The last reading failed.
    var hasFailed = false
  }

  private let store: any ControlStore
  private let onFailure: @Sendable (any Error) -> Void
  private let state: Mutex<State>

  /// Reads everything once. `onFailure` receives the errors of later reads.
  public init(
    store: any ControlStore, at now: Timestamp, onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) throws {
    self.store = store
    self.onFailure = onFailure
    state = Mutex(State(snapshot: try Self.read(store), checked: now))
  }

  /// The app that `key` may write for at `now`, from memory: never waits.
  public func knownApp(forKey key: String, at now: Timestamp) -> App? {
    guard let found = state.withLock({ $0.snapshot.keys[key] }), found.key.isValid(at: now) else { return nil }
    return found.app
  }

  /// The stored token that `text` is, from memory: never waits.
  public func knownToken(_ text: String) -> AccessToken? {
    guard let hash = TokenHash.of(text) else { return nil }
    return state.withLock { $0.snapshot.tokens[hash] }
  }

  /// Whether there is a user with this name, from memory: never waits.
  public func isUser(_ name: String) -> Bool {
    let name = name.lowercased()
    return state.withLock { $0.snapshot.users.contains(name) }
  }

  /// Whether the last read of the store succeeded.
  public var isReadable: Bool { state.withLock { !$0.hasFailed } }

  /// True if the store is due to be checked, and counts as checked now; the caller then calls `refresh`, which may
  /// wait.
  public func takeTurn(isKnown: Bool, at now: Timestamp) -> Bool {
    state.withLock { Self.takeTurn(&$0, isKnown: isKnown, at: now) }
  }

  private static func takeTurn(_ state: inout State, isKnown: Bool, at now: Timestamp) -> Bool {
    let age = now.milliseconds.subtractingReportingOverflow(state.checked.milliseconds)
    // A clock that was set back makes the age negative.
    let isDue = age.overflow || age.partialValue < 0 || age.partialValue >= (isKnown ? 1000 : 50)
    if isDue { state.checked = now }
    return isDue
  }

  /// The app that `key` may write for at `now`; nil when the key is unknown or retired. May wait for the store.
  public func app(forKey key: String, at now: Timestamp) -> App? {
    guard let found = find(at: now, { $0.keys[key] }), found.key.isValid(at: now) else { return nil }
    return found.app
  }

  /// The stored token that `text` is; nil when it is unknown. May wait for the store.
  public func token(_ text: String, at now: Timestamp) -> AccessToken? {
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

  /// Reads the store if it has changed; waits for it.
  public func refresh() {
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
    // The version first: a change between the two reads is read again, never missed.
    let version = try store.version()
    let apps = try store.apps()
    let keys = apps.flatMap { app in app.keys.map { ($0.key, KeyEntry(app: app, key: $0)) } }
    return Snapshot(
      version: version, keys: Dictionary(keys, uniquingKeysWith: { first, _ in first }),
      tokens: Dictionary(try store.tokens().map { ($0.hash, $0) }, uniquingKeysWith: { first, _ in first }),
      users: Set(try store.users().map { $0.name.lowercased() }))
  }
}
