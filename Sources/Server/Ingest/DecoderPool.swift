import Compression
import Decoding
import Dispatch
import Synchronization

/// Decoders that wait for the next body, so that each keeps its parser's memory.
final class DecoderPool: Sendable {
  /// A decoder that is in nobody's hands.
  ///
  /// Invariant: a decoder is either in `idle` or used by exactly one thread, so it is never used by two at once.
  private struct Idle: @unchecked Sendable { let decoder: PayloadDecoder }

  private let idle = Mutex<[Idle]>([])
  /// Big bodies take turns: six hostile ones of 4 MiB would otherwise keep 132 MB at once.
  private let bigBodies = DispatchSemaphore(value: 1)

  /// Bodies beyond this many bytes take turns.
  static let bigBody = 512 << 10

  /// Lends a decoder for the time of `use`.
  func withDecoder(bodySize: Int, _ use: (PayloadDecoder) -> Void) {
    let isBig = bodySize > Self.bigBody
    if isBig { bigBodies.wait() }
    defer { if isBig { bigBodies.signal() } }
    lend(use)
  }

  /// Unpacks a body and lends it with a decoder. How large it is shows only on the way: what grows beyond `bigBody` is
  /// given up and begun again in its turn, which lasts until the memory is free again.
  func withUnpacked(
    _ body: UnsafeRawBufferPointer, _ packing: Packing, limit: Int,
    _ use: (UnsafeRawBufferPointer, PayloadDecoder) -> Void
  ) throws(CompressionError) {
    do throws(CompressionError) {
      let unpacked = try packing.unpack(body, limit: min(limit, Self.bigBody))
      return lend { decoder in unpacked.withOutput { use($0, decoder) } }
    } catch {
      guard error.kind == .tooLarge, limit > Self.bigBody else { throw error }
    }
    bigBodies.wait()
    defer { bigBodies.signal() }
    try unpackAndLend(body, packing, limit, use)
  }

  /// A function of its own, so that the unpacked bytes are gone when it returns.
  @inline(never)
  private func unpackAndLend(
    _ body: UnsafeRawBufferPointer, _ packing: Packing, _ limit: Int,
    _ use: (UnsafeRawBufferPointer, PayloadDecoder) -> Void
  ) throws(CompressionError) {
    let unpacked = try packing.unpack(body, limit: limit)
    lend { decoder in unpacked.withOutput { use($0, decoder) } }
  }

  private func lend(_ use: (PayloadDecoder) -> Void) {
    let lent = idle.withLock { $0.popLast() } ?? Idle(decoder: PayloadDecoder())
    defer { idle.withLock { $0.append(lent) } }
    use(lent.decoder)
  }
}
