import Synchronization

/// A limit on the memory of arriving request bodies, divided between accounts: one per app, or per client address
/// without a valid key.
///
/// An account may hold at most twice the pool's free memory: a single account gets two thirds of the pool, two accounts
/// get two fifths each. So a further account always finds memory (dynamic thresholds: Choudhury and Hahne, "Dynamic
/// Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM ToN 6(2), 1998, with a factor of 2).
final class BodyMemoryPool: Sendable {
  /// The size of the pool, in bytes.
  let limit: Int
  fileprivate let taken = Atomic<Int>(0)

  init(limit: Int) { self.limit = limit }

  /// Bytes charged to all accounts together.
  var used: Int { taken.load(ordering: .relaxed) }
}

/// The share of a pool that one app or client address uses.
public final class BodyAccount: Sendable {
  private let pool: BodyMemoryPool
  private let held = Atomic<Int>(0)
  private let mayTakeAll: Bool

  /// Creates an account of `pool`. With `mayTakeAll`, only the pool's size limits it.
  init(in pool: BodyMemoryPool, mayTakeAll: Bool = false) {
    self.pool = pool
    self.mayTakeAll = mayTakeAll
  }

  /// Bytes charged to this account.
  var used: Int { held.load(ordering: .relaxed) }

  /// Charges `bytes`. Returns false without charging if that exceeds the account's share.
  func take(_ bytes: Int) -> Bool {
    let all = pool.taken.add(bytes, ordering: .relaxed).newValue
    let own = held.add(bytes, ordering: .relaxed).newValue
    if all <= pool.limit, mayTakeAll || own <= 2 * (pool.limit - all) { return true }
    giveBack(bytes)
    return false
  }

  func giveBack(_ bytes: Int) {
    held.subtract(bytes, ordering: .relaxed)
    pool.taken.subtract(bytes, ordering: .relaxed)
  }
}

/// The bytes that one request is charged for. They return to the account with the last reference: a connection releases
/// its reference when the request is answered, a detached body when it is freed.
final class BodyCharge: Sendable {
  private let account: BodyAccount
  private let service: SharedServerState
  private let held = Atomic<Int>(0)

  init(_ account: BodyAccount, _ service: SharedServerState) {
    self.account = account
    self.service = service
  }

  deinit {
    let bytes = held.load(ordering: .relaxed)
    account.giveBack(bytes)
    service.bodyBytes.subtract(bytes, ordering: .relaxed)
  }

  func take(_ bytes: Int) -> Bool {
    guard account.take(bytes) else { return false }
    held.add(bytes, ordering: .relaxed)
    service.bodyBytes.add(bytes, ordering: .relaxed)
    return true
  }

  func giveBack(_ bytes: Int) {
    account.giveBack(bytes)
    held.subtract(bytes, ordering: .relaxed)
    service.bodyBytes.subtract(bytes, ordering: .relaxed)
  }
}
