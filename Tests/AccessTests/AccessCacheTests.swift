import Foundation
import Testing

@testable import Core
@testable import Storage
@testable import Web

@Suite("The access cache")
struct AccessCacheTests {
  private func at(_ seconds: Double) -> Timestamp { Timestamp(milliseconds: Int64(seconds * 1000)) }

  @Test("a key that another process adds or removes takes effect within a second")
  func changes() throws {
    let store = MemoryStore()
    let first = store.add("com.example.shop", key: "aa")
    let cache = try AccessCache(store: store, at: at(0))
    #expect(cache.app(forKey: "aa", at: at(0))?.id == first)
    store.removeAll()
    #expect(cache.app(forKey: "aa", at: at(0.9))?.id == first)
    #expect(cache.app(forKey: "aa", at: at(1)) == nil)
    let second = store.add("com.example.news", key: "bb")
    #expect(cache.app(forKey: "bb", at: at(1.06))?.bundleID == "com.example.news")
    #expect(second != first)
  }

  @Test("known keys query the store once per second, unknown keys up to twenty times")
  func economy() throws {
    let store = MemoryStore()
    _ = store.add("com.example.shop", key: "aa")
    let cache = try AccessCache(store: store, at: at(0))
    let before = store.reads
    for millisecond in 0..<10_000 { _ = cache.app(forKey: "aa", at: at(Double(millisecond) / 1000)) }
    #expect(store.reads - before == 9)
    for millisecond in 10_000..<11_000 { _ = cache.app(forKey: "zz", at: at(Double(millisecond) / 1000)) }
    #expect(store.reads - before <= 30)
  }

  @Test("a retired key is refused from the time it retires, without a change of the store")
  func retirement() throws {
    let store = MemoryStore()
    let app = store.add("com.example.shop", key: "aa", retires: at(100))
    let cache = try AccessCache(store: store, at: at(0))
    #expect(cache.app(forKey: "aa", at: at(99.999))?.id == app)
    #expect(cache.app(forKey: "aa", at: at(100)) == nil)
  }

  @Test("tokens are found by their text, although only the hash is stored")
  func tokens() throws {
    let store = MemoryStore()
    let token = KeyGenerator.readToken()
    _ = try store.addToken(name: "grafana", hash: try #require(TokenHash.of(token)), at: at(0))
    let cache = try AccessCache(store: store, at: at(0))
    #expect(cache.token(token, at: at(0))?.name == "grafana")
    #expect(cache.token(KeyGenerator.readToken(), at: at(0)) == nil)
    #expect(cache.token("", at: at(0)) == nil)
  }

  @Test("a new token is found even if a check for known ones has just begun elsewhere")
  func addedMeanwhile() throws {
    let store = MemoryStore()
    let cache = try AccessCache(store: store, at: at(0))
    #expect(cache.takeTurn(isKnown: true, at: at(5)))
    let token = KeyGenerator.readToken()
    _ = try store.addToken(name: "grafana", hash: try #require(TokenHash.of(token)), at: at(5))
    #expect(cache.token(token, at: at(5.001))?.name == "grafana")
    #expect(!cache.takeTurn(isKnown: false, at: at(5.05)) && cache.takeTurn(isKnown: false, at: at(5.051)))
  }

  @Test("if the store cannot be read, the last answers stay valid and the failure is reported")
  func failure() throws {
    let store = MemoryStore()
    let app = store.add("com.example.shop", key: "aa")
    let failures = MemoryStore()
    let cache = try AccessCache(store: store, at: at(0)) { _ in _ = failures.add("x", key: "x") }
    store.fails = true
    #expect(cache.app(forKey: "aa", at: at(5))?.id == app)
    #expect(failures.count == 1)
    store.fails = false
    store.removeAll()
    #expect(cache.app(forKey: "aa", at: at(6)) == nil)
  }

  @Test("cached entries are answered without the store, and the cache reports whether the store responds")
  func memory() throws {
    let store = MemoryStore()
    let app = store.add("com.example.shop", key: "aa", retires: at(100))
    let cache = try AccessCache(store: store, at: at(0))
    store.fails = true
    let before = store.reads
    #expect(cache.knownApp(forKey: "aa", at: at(50))?.id == app)
    #expect(cache.knownApp(forKey: "aa", at: at(100)) == nil)
    #expect(cache.knownApp(forKey: "bb", at: at(50)) == nil)
    #expect(cache.knownToken("plumb_x") == nil)
    #expect(store.reads == before)
    #expect(cache.isReadable)
    cache.refresh()
    #expect(!cache.isReadable)
    store.fails = false
    cache.refresh()
    #expect(cache.isReadable)
  }

  @Test("a clock that is set back does not freeze the cache")
  func clock() throws {
    let store = MemoryStore()
    _ = store.add("com.example.shop", key: "aa")
    let cache = try AccessCache(store: store, at: at(1_000_000))
    store.removeAll()
    #expect(cache.app(forKey: "aa", at: at(0)) == nil)
  }

  @Test("many threads can query cached keys and tokens while the store changes")
  func threads() throws {
    let store = MemoryStore()
    let app = store.add("com.example.shop", key: "aa")
    let cache = try AccessCache(store: store, at: at(0))
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      for step in 0..<2000 {
        if worker == 0 { _ = store.add("com.example.a\(step)", key: "k\(step)") }
        #expect(cache.app(forKey: "aa", at: at(Double(step) / 10))?.id == app)
      }
    }
    #expect(cache.app(forKey: "k1999", at: at(1000))?.bundleID == "com.example.a1999")
  }
}

/// A control store without a disk that counts how often it is read.
final class MemoryStore: ControlStore, @unchecked Sendable {
  // Invariant: everything below is only touched while `lock` is held.
  private let lock = NSRecursiveLock()
  private var stored: [App] = []
  private var storedTokens: [AccessToken] = []
  private var changes: Int64 = 1
  private var versionReads = 0
  private var isFailing = false

  struct Failure: Error {}

  var reads: Int { lock.withLock { versionReads } }
  var count: Int { lock.withLock { stored.count } }
  var fails: Bool {
    get { lock.withLock { isFailing } }
    set { lock.withLock { isFailing = newValue } }
  }

  func add(_ bundleID: String, key: String, retires: Timestamp? = nil) -> AppID {
    lock.withLock {
      changes += 1
      let id = AppID(changes)
      let zero = Timestamp(milliseconds: 0)
      let keys = [IngestKey(key: key, app: id, created: zero, retires: retires)]
      stored.append(App(id: id, bundleID: bundleID, created: zero, keys: keys))
      return id
    }
  }

  func removeAll() {
    lock.withLock {
      changes += 1
      stored = []
    }
  }

  func version() throws -> Int64 {
    try lock.withLock {
      versionReads += 1
      if isFailing { throw Failure() }
      return changes
    }
  }

  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { [:] }
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] { [:] }
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws { throw Failure() }
  func setNote(_ note: GroupNote, of app: AppID, group: UInt64, replacing: [UInt64]) throws { throw Failure() }
  func apps() throws -> [App] { lock.withLock { stored } }
  func tokens() throws -> [AccessToken] { lock.withLock { storedTokens } }

  func addToken(_ token: AccessToken) throws -> AccessToken {
    lock.withLock {
      changes += 1
      storedTokens.append(token)
      return token
    }
  }

  // Not asked by the cache.
  func app(bundleID: String) throws -> App? { throw Failure() }
  func addApp(bundleID: String, settings: AppSettings, key: String, at now: Timestamp) throws -> App { throw Failure() }
  func changeSettings(of app: AppID, to settings: AppSettings) throws { throw Failure() }
  func changeIcon(of app: AppID, to png: [UInt8]?) throws { throw Failure() }
  func appStoreFigures(of app: AppID) throws -> [AppStoreFigure] { throw Failure() }
  func appStoreNotes(of app: AppID) throws -> AppStorePerformance { throw Failure() }
  func keep(_ answer: AppStorePerformance, of app: AppID, at now: Timestamp) throws { throw Failure() }
  func keep(_ run: LabRun, of app: AppID) throws -> Bool { throw Failure() }
  func labRuns(of app: AppID, named name: String) throws -> [LabRun] { throw Failure() }
  func labRuns(of app: AppID, foretelling metric: String) throws -> [LabRun] { throw Failure() }
  func icon(of app: AppID) throws -> [UInt8]? { throw Failure() }
  func rotateKey(of app: AppID, to key: String, at now: Timestamp, overlapDays: Int) throws -> App { throw Failure() }
  func removeApp(_ app: AppID) throws { throw Failure() }
  func users() throws -> [User] { [] }
  func user(named name: String) throws -> User? { throw Failure() }
  func user(identity: String) throws -> User? { throw Failure() }
  func saveUser(_ user: User, force: Bool) throws { throw Failure() }
  func saveUser(_ user: User, replacing known: User?, force: Bool) throws { throw Failure() }
  func removeUser(named name: String, force: Bool) throws { throw Failure() }
  func logins(of user: String?, at now: Timestamp) throws -> [LoginSession] { throw Failure() }
  func markUsed(login: LoginSession, at now: Timestamp) throws { throw Failure() }
  func endLogins(of user: String, id: String?) throws -> Int { throw Failure() }
  func acting(as actor: Actor) -> any ControlStore { self }
  func record(_ event: AuditEvent) throws { throw Failure() }
  func auditEntries(_ filter: AuditFilter) throws -> [AuditEntry] { throw Failure() }
  func openLogin(_ session: LoginSession, at now: Timestamp) throws { throw Failure() }
  func login(idHash: String, at now: Timestamp) throws -> LoginSession? { throw Failure() }
  func closeLogin(idHash: String) throws { throw Failure() }
  func removeToken(named name: String) throws { throw Failure() }
  func markUsed(token: Int32, at now: Timestamp) throws { throw Failure() }
  func silences(at now: Timestamp) throws -> [Silence] { throw Failure() }
  func addSilence(_ silence: Silence) throws -> Silence { throw Failure() }
  func removeSilence(_ id: Int64) throws { throw Failure() }
  func alertState(of app: AppID) throws -> AlertState { throw Failure() }
  func decide(_ incidents: [Incident], _ messages: [AlertMessage], _ state: AlertState, of app: AppID) throws -> Bool {
    throw Failure()
  }
  func incidents(of app: AppID?, closedAfter: Timestamp) throws -> [Incident] { throw Failure() }
  func incident(_ id: String) throws -> Incident? { throw Failure() }
  func openIncidentCounts() throws -> [String: Int] { throw Failure() }
  func lastDeliveries() throws -> [String: [String: DeliveryState]] { throw Failure() }
  func forgetAlerts(closedBefore: Timestamp, toldBefore: Timestamp) throws { throw Failure() }
  func pendingMessages() throws -> [AlertMessage] { throw Failure() }
  func undeliveredMessages(since start: Timestamp) throws -> [String: Int] { throw Failure() }
  func claim(_ message: String, channel: String, at now: Timestamp) throws -> Bool { throw Failure() }
  func markDelivered(_ message: String, channel: String, at now: Timestamp) throws { throw Failure() }
  func markFailed(_ message: String, channel: String, reason: String, isFinal: Bool, at now: Timestamp) throws {
    throw Failure()
  }
  func settle(_ message: String, at now: Timestamp) throws { throw Failure() }
}
