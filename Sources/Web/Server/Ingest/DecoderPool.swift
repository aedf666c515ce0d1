import Core
import Dispatch
import Ingest
import Storage
import Synchronization

/// Idle payload decoders. They are reused, because each keeps its parser's memory.
///
/// A small body is decoded on the thread that received it, because passing it on would cost as much as decoding. Larger
/// bodies go to separate threads, on which apps take turns, so that receiving threads never wait for decoding.
final class DecoderPool: Sendable {
  /// A decoder that is not in use.
  ///
  /// Invariant: a decoder is either in `idle` or used by exactly one thread, so two threads never use it at once.
  private struct Idle: @unchecked Sendable { let decoder: PayloadDecoder }

  /// The result of preparing a body for a decoder.
  enum Input {
    /// The decompressed body, followed by padding, and a decoder. Valid during the call.
    case body(UnsafeRawBufferPointer, PayloadDecoder)
    case damaged(CompressionError)
    /// The body was not decoded, because too many bodies are waiting.
    case crowded
  }

  /// A closure that receives the prepared body. It is called once, now or later on another thread; never if the reply
  /// is no longer pending.
  typealias Use = @Sendable (Input) -> Void

  private let idle = Mutex<[Idle]>([])
  private let middling = FairQueue<AppID>(label: "plumb.decoders", qos: .userInitiated, threads: 1, limit: 256)
  // One thread: six hostile bodies of 4 MiB at once would need 132 MB.
  private let big = FairQueue<AppID>(label: "plumb.big-decoders", qos: .userInitiated, threads: 1, limit: 256)

  /// The largest size after decompression, in bytes, that is decoded on the receiving thread.
  static let smallBody = 64 << 10
  /// The size after decompression, in bytes, above which bodies are decoded one at a time.
  static let bigBody = 512 << 10

  /// Decompresses the body of a request and passes it to a decoder. A body whose reply is no longer pending is dropped.
  func decode(
    _ request: borrowing Request, _ packing: ContentEncodings?, limit: Int, for app: AppID, _ reply: PendingReply,
    _ use: @escaping Use
  ) {
    let size = request.body.count
    if size <= Self.smallBody, lend(request.body, packing, Self.smallBody, of: limit, use) { return }
    let body = request.takeBody()
    let isTaken =
      size > Self.bigBody
      ? queue(body, packing, limit, for: app, reply, use)
      : middling.run(for: app) { [self] in
        guard reply.isOwed, !lend(body.bytes, packing, Self.bigBody, of: limit, use) else { return }
        if !queue(body, packing, limit, for: app, reply, use) { use(.crowded) }
      }
    if !isTaken { use(.crowded) }
  }

  private func queue(
    _ body: ReceivedBody, _ packing: ContentEncodings?, _ limit: Int, for app: AppID, _ reply: PendingReply,
    _ use: @escaping Use
  ) -> Bool {
    big.run(for: app) { [self] in if reply.isOwed { _ = lend(body.bytes, packing, limit, of: limit, use) } }
  }

  /// Passes a body to `use`, decompressed if `packing` is not nil, or passes the error. Returns false without calling
  /// `use` if the body decompresses to more than `size` bytes although `limit` is larger. This is a separate function,
  /// so that the decompressed bytes are freed when it returns.
  @inline(never)
  private func lend(
    _ body: UnsafeRawBufferPointer, _ packing: ContentEncodings?, _ size: Int, of limit: Int, _ use: Use
  ) -> Bool {
    guard let packing else {
      lend { use(.body(body, $0)) }
      return true
    }
    do throws(CompressionError) {
      let unpacked = try packing.unpack(body, limit: min(size, limit))
      lend { decoder in unpacked.withOutput { use(.body($0, decoder)) } }
    } catch {
      if error.kind == .tooLarge, size < limit { return false }
      use(.damaged(error))
    }
    return true
  }

  private func lend(_ use: (PayloadDecoder) -> Void) {
    let lent = idle.withLock { $0.popLast() } ?? Idle(decoder: PayloadDecoder())
    defer { idle.withLock { $0.append(lent) } }
    use(lent.decoder)
  }
}
