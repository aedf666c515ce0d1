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
  func withDecoder<Result, Failure: Error>(
    bodySize: Int, _ use: (PayloadDecoder) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isBig = bodySize > Self.bigBody
    if isBig { bigBodies.wait() }
    defer { if isBig { bigBodies.signal() } }
    let lent = idle.withLock { $0.popLast() } ?? Idle(decoder: PayloadDecoder())
    defer { idle.withLock { $0.append(lent) } }
    return try use(lent.decoder)
  }
}
