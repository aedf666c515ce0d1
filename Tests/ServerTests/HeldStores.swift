import Dispatch
import Synchronization

@testable import Core
@testable import Storage

/// Lets everybody through until it is closed; then whoever comes waits until it is opened for good.
final class Gate: Sendable {
  private let isClosed = Atomic(false)
  private let waiting = Atomic(0)
  private let opened = DispatchSemaphore(value: 0)

  /// How many wait.
  var count: Int { waiting.load(ordering: .relaxed) }

  func close() { isClosed.store(true, ordering: .sequentiallyConsistent) }

  func pass() {
    guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
    waiting.add(1, ordering: .sequentiallyConsistent)
    opened.wait()
    opened.signal()
    waiting.subtract(1, ordering: .sequentiallyConsistent)
  }

  func open() {
    isClosed.store(false, ordering: .sequentiallyConsistent)
    opened.signal()
  }
}

/// A journal in memory behind a gate.
final class HeldJournal: Journal {
  let node = NodeID("00000000000000aa")
  let gate = Gate()
  private let stored = Mutex<[PendingRecords]>([])

  var requests: [PendingRecords] { stored.withLock { $0 } }

  func append(_ pending: [PendingRecords]) throws -> Appended {
    gate.pass()
    let through = stored.withLock { stored in
      stored += pending
      return Int64(stored.count)
    }
    return Appended(outcomes: pending.map { _ in .accepted(through: through) }, batch: nil)
  }

  func batches(after sequence: Int64, limit: Int) throws -> [JournalBatch] { [] }
  func lastSequence() throws -> Int64 { 0 }
  func purge(through sequence: Int64, olderThan: Timestamp, keepingAtMost bytes: Int) throws {}
}

/// A control database with two apps, tokens and a user, behind a gate, that can be made to fail.
final class HeldControl: ControlStore {
  let gate = Gate()
  let fails = Atomic(false)
  private let stored = Mutex<(version: Int64, apps: [App])>((1, []))

  private let granted = Mutex<[AccessToken]>([])

  struct Failure: Error {}

  init(keys: [String]) {
    for key in keys { add(key) }
  }

  func add(_ key: String) {
    stored.withLock { stored in
      let id = AppID(stored.apps.count + 1)
      let zero = Timestamp(milliseconds: 0)
      let keys = [IngestKey(key: key, app: id, created: zero, retires: nil)]
      stored.apps.append(
        App(id: id, bundleID: "com.example.app\(id)", created: zero, settings: AppSettings(), keys: keys))
      stored.version += 1
    }
  }

  func grant(_ tokens: [AccessToken]) { granted.withLock { $0 = tokens } }

  private func ask<Answer>(_ answer: () -> Answer) throws -> Answer {
    gate.pass()
    if fails.load(ordering: .relaxed) { throw Failure() }
    return answer()
  }

  func version() throws -> Int64 { try ask { stored.withLock { $0.version } } }
  func apps() throws -> [App] { try ask { stored.withLock { $0.apps } } }
  func app(bundleID: String) throws -> App? { try ask { nil } }
  func tokens() throws -> [AccessToken] { try ask { granted.withLock { $0 } } }
  func users() throws -> [User] { try ask { [] } }
  func user(named name: String) throws -> User? { try ask { nil } }
  func login(idHash: String, at now: Timestamp) throws -> LoginSession? { try ask { nil } }
  func openLogin(_ session: LoginSession, at now: Timestamp) throws { try ask {} }
  func closeLogin(idHash: String) throws { try ask {} }
  func markUsed(token: Int32, at now: Timestamp) throws { try ask {} }
  func groupStates(of app: AppID) throws -> [UInt64: GroupDecision] { [:] }
  func groupNotes(of app: AppID) throws -> [UInt64: GroupNote] { [:] }

  // Not asked here.
  func decide(_ decision: GroupDecision, of app: AppID, group fingerprint: UInt64) throws { throw Failure() }
  func setNote(_ note: GroupNote, of app: AppID, group: UInt64, replacing: [UInt64]) throws { throw Failure() }
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
  func addToken(_ token: AccessToken) throws -> AccessToken { throw Failure() }
  func removeToken(named name: String) throws { throw Failure() }
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
