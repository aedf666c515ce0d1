import ClickHouseStore
import Core
import Dispatch
import Storage
import Synchronization

/// The thread that sends a ledger's blocks to the ClickHouse servers.
///
/// If a server does not answer, sending is retried after a pause. Blocks wait in the outbox; when the outbox is full,
/// records wait in the journal.
final class FactFeed: Sendable {
  private let outbox: any FactOutbox
  private let sender: FactSender
  private let isSending: @Sendable () -> Bool
  private let prepare: @Sendable () throws -> Void
  private let changed: @Sendable () -> Void
  private let report: @Sendable (String) -> Void
  private let clock: @Sendable () -> Timestamp
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  private struct State {
    var isStopping = false
    var isPrepared = false
    var failures: [String: (error: String, since: Timestamp)] = [:]
    var lastStored: Timestamp?
    var lost = 0
    var blocks = 0
  }

  /// The time between two checks of the outbox if nothing wakes the thread, in seconds.
  private static let pause = 2
  /// How long the end of the process waits for the servers, in seconds.
  static let longestStop = 15

  /// `isSending`: whether this process may send. `prepare` upgrades the tables, and is called until it succeeds.
  /// `changed` is called after blocks were stored. `report` receives a line when a server fails and when it recovers.
  init(
    _ outbox: any FactOutbox, _ sender: FactSender, clock: @escaping @Sendable () -> Timestamp,
    isSending: @escaping @Sendable () -> Bool = { true },
    prepare: @escaping @Sendable () throws -> Void = {}, changed: @escaping @Sendable () -> Void,
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.outbox, self.sender, self.clock, self.changed, self.report) = (outbox, sender, clock, changed, report)
    (self.isSending, self.prepare) = (isSending, prepare)
  }

  func start() {
    DispatchQueue(label: "plumb.facts", qos: .utility).async { [self] in
      while !state.withLock({ $0.isStopping }) {
        send()
        _ = wake.wait(timeout: .now() + .seconds(Self.pause))
      }
      // Sends the last blocks of the digest.
      send()
      ended.signal()
    }
  }

  /// Wakes the thread to send new blocks.
  func poke() { wake.signal() }

  /// Sends waiting blocks for at most `seconds` more, and ends the thread. Remaining blocks wait for the next start.
  /// Call this after `start`.
  ///
  /// A statement can take a minute, which is longer than a service manager waits, so a running statement is cancelled.
  func stop(within seconds: Int = FactFeed.longestStop) {
    state.withLock { $0.isStopping = true }
    wake.signal()
    if ended.wait(timeout: .now() + .seconds(seconds)) == .success { return }
    sender.end()
    ended.wait()
  }

  /// Sends all waiting blocks, for commands. Throws the first error of a server if blocks are left.
  func sendAll() throws {
    while try outbox.waiting().blocks > 0 {
      let outcome = try sender.send(now: clock())
      if outcome.stored == 0, let failure = outcome.failures.sorted(by: { $0.key < $1.key }).first {
        throw UserFacingError("\(failure.key): \(failure.value)")
      }
    }
  }

  private func send() {
    guard isSending() else { return }
    if !state.withLock({ $0.isPrepared }) {
      do {
        try prepare()
        state.withLock { $0.isPrepared = true }
        note(Self.tablesName, nil)
      } catch {
        note(Self.tablesName, error)
      }
    }
    do {
      var outcome = try sender.send(now: clock())
      note(outcome)
      while outcome.stored > 0 {
        changed()
        outcome = try sender.send(now: clock())
        note(outcome)
      }
      note(Self.outboxName, nil)
    } catch {
      note(Self.outboxName, error)
    }
  }

  private static let outboxName = "the outbox"
  private static let tablesName = "the tables"

  private func note(_ outcome: FactSender.Outcome) {
    for shard in sender.shardNames { note(shard, outcome.failures[shard]) }
    for (name, error) in outcome.failures where !sender.shardNames.contains(name) { note(name, error) }
    if outcome.lost > 0 { report("\(outcome.lost) stored blocks are missing on the servers and are sent again.") }
    state.withLock { state in
      if outcome.stored > 0 { state.lastStored = clock() }
      state.blocks += outcome.stored
      state.lost += outcome.lost
    }
  }

  private func note(_ name: String, _ error: (any Error)?) {
    let now = clock()
    let line: String? = state.withLock { state in
      guard let error else {
        return state.failures.removeValue(forKey: name).map { _ in "\(Self.subject(name)) works again." }
      }
      let text = "\(error)"
      defer { state.failures[name] = (text, state.failures[name]?.since ?? now) }
      return state.failures[name] == nil ? "\(Self.failure(name)): \(text)" : nil
    }
    if let line { report(line) }
  }

  private static func subject(_ name: String) -> String { name == tablesName ? "Upgrading tables" : name }

  private static func failure(_ name: String) -> String {
    switch name {
    case tablesName: "The tables cannot be upgraded"
    case outboxName: "The outbox cannot be read"
    default: "\(name) does not accept rows"
    }
  }

  /// The state of the servers, from memory and the outbox.
  func status() -> ClickHouseServerStatus {
    let waiting = try? outbox.waiting()
    let state = state.withLock { $0 }
    return ClickHouseServerStatus(
      shards: sender.shardNames.map { name in
        .init(
          name: name, waitingBlocks: waiting?.byShard[name] ?? 0, failure: state.failures[name]?.error,
          failingSince: state.failures[name]?.since)
      }, waitingBlocks: waiting?.blocks ?? 0, waitingBytes: waiting?.bytes ?? 0, storedBlocks: state.blocks,
      lostBlocks: state.lost, lastStored: state.lastStored)
  }

  /// A sentence for each server that does not accept rows.
  func warnings() -> [String] {
    state.withLock { $0.failures }.sorted { $0.key < $1.key }.map { name, failure in
      "\(Self.failure(name)) since \(failure.since.iso): \(failure.error)"
    }
  }
}
