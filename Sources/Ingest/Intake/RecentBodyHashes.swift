import Storage
import Synchronization

/// Hashes of the most recent bodies. Two idle phones can send equal bytes, so equal bodies are counted as suspected
/// duplicates but never dropped.
final class RecentBodyHashes: Sendable {
  private let state = Mutex(State())

  private struct State {
    var known: Set<UInt64> = []
    var order: [UInt64] = []
    var next = 0
  }

  private static let capacity = 16_384

  /// Whether the app sent a body with this hash recently. Remembers the hash.
  func insert(_ bodyHash: UInt64, app: AppID) -> Bool {
    let hash = Self.fold(bodyHash ^ UInt64(UInt32(bitPattern: app)))
    return state.withLock { state in
      guard state.known.insert(hash).inserted else { return true }
      if state.order.count < Self.capacity {
        state.order.append(hash)
      } else {
        state.known.remove(state.order[state.next])
        state.order[state.next] = hash
        state.next = (state.next + 1) % Self.capacity
      }
      return false
    }
  }

  /// A multiply-and-fold hash in four lanes of eight bytes. It must not protect secrets; a collision only adds one to a
  /// count.
  static func hash(_ body: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    // Not a SIMD vector: processors have no vector instruction for a product of 128 bits.
    var (first, second): (UInt64, UInt64) = (seed, 0x9e37_79b9_7f4a_7c15)
    var (third, fourth): (UInt64, UInt64) = (UInt64(body.count), 0xc2b2_ae3d_27d4_eb4f)
    func word(_ offset: Int) -> UInt64 { body.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    var offset = 0
    while offset + 32 <= body.count {
      first = fold(first ^ word(offset))
      second = fold(second ^ word(offset + 8))
      third = fold(third ^ word(offset + 16))
      fourth = fold(fourth ^ word(offset + 24))
      offset += 32
    }
    var hash = fold(first ^ fold(second ^ fold(third ^ fourth)))
    for index in offset..<body.count { hash = fold(hash ^ UInt64(body[index])) }
    return hash
  }

  private static func fold(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
    return product.high ^ product.low
  }
}
