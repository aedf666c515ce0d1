internal import Synchronization

/// Memory for bodies that are arriving, divided between accounts: apps, or addresses that have shown no key.
///
/// An account may hold twice what it leaves free: alone it gets two thirds of the pool, with another one two fifths each.
/// So there is always room for one more account, whatever those before it do (dynamic thresholds: Choudhury and Hahne,
/// "Dynamic Queue Length Thresholds for Shared-Memory Packet Switches", IEEE/ACM ToN 6(2), 1998, with a factor of 2).
public final class BodyPool: Sendable {
  /// In bytes.
  public let limit: Int
  fileprivate let taken = Atomic<Int>(0)

  /// A pool of `limit` bytes.
  public init(limit: Int) { self.limit = limit }

  /// Bytes that are held now.
  public var used: Int { taken.load(ordering: .relaxed) }
}

/// What one app or address holds of a pool.
public final class BodyAccount: Sendable {
  private let pool: BodyPool
  private let held = Atomic<Int>(0)
  private let mayTakeAll: Bool

  /// An account of `pool`. One that `mayTakeAll` is bounded by the pool alone.
  public init(in pool: BodyPool, mayTakeAll: Bool = false) {
    self.pool = pool
    self.mayTakeAll = mayTakeAll
  }

  /// Bytes that are held now.
  public var used: Int { held.load(ordering: .relaxed) }

  /// Takes `bytes`, or nothing when that is more than the account may hold.
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

/// What one request holds of an account. It is given back when the last owner lets go of it: the connection when it is
/// answered, and a body that was detached.
final class BodyCharge: Sendable {
  private let account: BodyAccount
  private let service: ServerState
  private let held = Atomic<Int>(0)

  init(_ account: BodyAccount, _ service: ServerState) {
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
