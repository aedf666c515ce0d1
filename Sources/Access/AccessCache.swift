public import Storage
internal import Synchronization
public import Telemetry

/// What a running server asks on every request: whose key is this, is this token known.
///
/// Answers come from memory. At most once a second a request also asks the store whether another process changed
/// something, so that a new or removed key is seen within a second. A key or token that memory does not know may ask
/// sooner, twenty times a second at most, so that the key of an app just added works at once. When the store cannot be
/// read, the last answers hold.
public final class AccessCache: Sendable {
  private struct Snapshot: Sendable {
    var version: Int64
    var keys: [String: KeyEntry]
    var tokens: [String: ReadToken]
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
  }

  private let store: any ControlStore
  private let onFailure: @Sendable (any Error) -> Void
  private let state: Mutex<State>

  /// Reads everything once. `onFailure` hears of later reads that failed.
  public init(
    store: any ControlStore, at now: Timestamp, onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
  ) throws {
    self.store = store
    self.onFailure = onFailure
    state = Mutex(State(snapshot: try Self.read(store), checked: now))
  }

  /// The app that `key` may write for at `now`; nil when the key is unknown or retired.
  public func app(forKey key: String, at now: Timestamp) -> App? {
    guard let found = find(at: now, { $0.keys[key] }), found.key.isValid(at: now) else { return nil }
    return found.app
  }

  /// The stored token that `text` is; nil when it is unknown.
  public func token(_ text: String, at now: Timestamp) -> ReadToken? {
    guard let hash = TokenHash.of(text) else { return nil }
    return find(at: now) { $0.tokens[hash] }
  }

  private func find<Value>(at now: Timestamp, _ look: (Snapshot) -> Value?) -> Value? {
    let (found, isDue) = state.withLock { state in
      let found = look(state.snapshot)
      let age = now.milliseconds - state.checked.milliseconds
      // A clock that was set back makes the age negative.
      let isDue = age < 0 || age >= (found == nil ? 50 : 1000)
      if isDue { state.checked = now }
      return (found, isDue)
    }
    guard isDue else { return found }
    refresh()
    return state.withLock { look($0.snapshot) }
  }

  /// Only the request that found the check due comes here; the others go on with the old answers meanwhile.
  private func refresh() {
    do {
      let known = state.withLock { $0.snapshot.version }
      guard try store.version() != known else { return }
      let fresh = try Self.read(store)
      state.withLock { $0.snapshot = fresh }
    } catch {
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
      tokens: Dictionary(try store.tokens().map { ($0.hash, $0) }, uniquingKeysWith: { first, _ in first }))
  }
}
