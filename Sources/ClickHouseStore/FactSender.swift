public import Core
import Storage
import Synchronization

/// A sender that stores the blocks of a node's outbox in the shards: each block in one shard, exactly once.
///
/// Queries do not depend on the shard of a block, so blocks go in turn to the shards that respond. A block that was
/// sent to a shard stays assigned to it: the shard may have stored it until its marks show the opposite.
public final class FactSender: Sendable {
  private let outbox: any FactOutbox
  private let shards: [Shard]
  private let stored: @Sendable () -> Void
  /// Held while blocks are sent over the network, because two concurrent senders would send a block to two shards. A
  /// second caller of `send`, such as a command beside the server's thread, waits for the first. Only `send` takes this
  /// lock.
  private let state = Mutex(State())

  private struct State {
    /// The time at which the marks of a shard were last compared with the outbox, by shard. A shard that fails is
    /// removed.
    var compared: [String: Timestamp] = [:]
    var turn = 0
  }

  /// A server with the table `facts`.
  struct Shard: Sendable {
    /// The shard's name in the outbox: its address.
    let name: String
    let writer: FactWriter
  }

  /// The result of one attempt to send the waiting blocks.
  public struct Outcome: Sendable {
    /// The number of newly stored blocks.
    public var stored = 0
    /// The number of blocks that a shard had stored and lost. They wait again.
    public var lost = 0
    /// Whether a shard has blocks that this ledger did not create. Then nothing is sent.
    var isBehind = false
    /// The errors of shards that failed. Blocks that are assigned to them wait.
    public var failures: [String: any Error] = [:]
  }

  /// The time for which a stored block stays in the outbox. A server that does not sync its parts loses the last ones
  /// in a power cut, and a copy of the tables has only the blocks stored before it. docs/scaling.md promises an hour;
  /// the remaining time allows for a slow backup.
  private static let keptSeconds: Int64 = 90 * 60

  /// The interval at which the marks of a shard are compared with the outbox although it has not failed. A server may
  /// lose parts and restart between two blocks.
  private static let comparedSeconds: Int64 = 15

  private static let mostBytes = 64 << 20

  /// `stored` is called after blocks were stored.
  init(_ outbox: any FactOutbox, to shards: [Shard], stored: @escaping @Sendable () -> Void = {}) {
    self.outbox = outbox
    self.shards = shards
    self.stored = stored
  }

  /// The names of the shards.
  public var shardNames: [String] { shards.map(\.name) }

  /// Ends a running `send` within about a second and makes later ones fail. The block that was being sent waits, and
  /// the next process checks whether it is stored.
  public func end() { for shard in shards { shard.writer.end() } }

  /// Sends the waiting blocks to the shards that respond. `now`: the start of the time for which stored blocks are
  /// kept. Throws only errors of the outbox.
  public func send(now: Timestamp) throws -> Outcome {
    let outcome = try state.withLock { state in
      var outcome = Outcome()
      for shard in shards where state.compared[shard.name].map({ now - $0 >= Self.comparedSeconds }) ?? true {
        state.compared[shard.name] = try compare(shard, now, &outcome) ? now : nil
      }
      for block in outcome.isBehind ? [] : try outbox.waitingBlocks(limit: Self.mostBytes) {
        guard let shard = choose(for: block, &state, &outcome) else { continue }
        try outbox.assign(block.number, to: shard.name)
        do {
          try shard.writer.append(block.bytes, block.id)
        } catch {
          state.compared[shard.name] = nil
          outcome.failures[shard.name] = error
          continue
        }
        try outbox.confirm([block.number], in: shard.name, at: now)
        outcome.stored += 1
      }
      // Blocks of a shard that does not respond are kept: after a restore it may lack blocks that were stored long ago.
      try outbox.forget(
        storedBefore: Timestamp(milliseconds: now.milliseconds - Self.keptSeconds * 1000),
        exceptIn: shards.map(\.name).filter { state.compared[$0] == nil })
      return outcome
    }
    if outcome.stored > 0 { stored() }
    return outcome
  }

  /// Compares the marks of a shard with the outbox; returns false if the shard does not respond.
  private func compare(_ shard: Shard, _ now: Timestamp, _ outcome: inout Outcome) throws -> Bool {
    let (blocks, last) = (try outbox.blocks(), try outbox.lastBlock())
    let stored: Set<BlockID>
    do {
      stored = try shard.writer.stored(from: blocks.first?.number ?? last + 1)
    } catch {
      outcome.failures[shard.name] = error
      return false
    }
    let known = Dictionary(blocks.map { ($0.number, $0) }) { first, _ in first }
    if let other = stored.first(where: { known[$0.number] != $0 }) {
      outcome.failures[shard.name] = LedgerBehind(stored: other.number, made: last)
      outcome.isBehind = true
      return false
    }
    try outbox.confirm(stored.map(\.number), in: shard.name, at: now)
    outcome.lost += try outbox.reopen(in: shard.name, storedNow: Set(stored.map(\.number)))
    return true
  }

  /// The shard for a block: the assigned one, or the next that has not failed.
  private func choose(for block: OutboxBlock, _ state: inout State, _ outcome: inout Outcome) -> Shard? {
    if let name = block.shard, !shards.contains(where: { $0.name == name }) {
      outcome.failures[name] = UnknownShard(name: name)
      return nil
    }
    let able = shards.filter { outcome.failures[$0.name] == nil && $0.name == block.shard ?? $0.name }
    guard !able.isEmpty else { return nil }
    state.turn += 1
    return able[state.turn % able.count]
  }

  /// The error for a shard with blocks that this ledger did not create: the ledger is an older copy of the one that
  /// created them.
  struct LedgerBehind: Error, CustomStringConvertible {
    let stored: Int64
    let made: Int64

    var description: String {
      """
      it has a different block \(stored) of this data folder, whose last block is \(made): the folder is an older \
      copy. Restore the tables from a copy of the same time (docs/scaling.md)
      """
    }
  }

  /// The error for blocks that were sent to a shard that is no longer configured. It is unknown whether they are
  /// stored.
  struct UnknownShard: Error, Sendable, CustomStringConvertible {
    let name: String

    var description: String { "blocks were sent to \(name), which is no longer a shard: it may have stored them" }
  }
}

extension Timestamp {
  /// The difference in seconds.
  fileprivate static func - (later: Timestamp, earlier: Timestamp) -> Int64 {
    (later.milliseconds - earlier.milliseconds) / 1000
  }
}
