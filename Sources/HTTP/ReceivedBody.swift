internal import Glibc

/// A body that was taken out of its request, to be read on another thread. It counts as memory of its account as long as
/// it lives.
///
/// `@unchecked Sendable`: the bytes never change after `init`, and are freed when nobody has them any more.
public final class ReceivedBody: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer?
  private let length: Int
  private let charge: BodyCharge?

  init(memory: UnsafeMutableRawPointer?, count: Int, charge: BodyCharge?) {
    self.charge = charge
    length = count
    self.memory = memory ?? calloc(1, BodyBuffer.padding)
  }

  /// A copy of bytes that are somebody else's.
  convenience init(copying bytes: UnsafeRawBufferPointer) {
    let memory = calloc(1, bytes.count + BodyBuffer.padding)
    if let memory, let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(memory: memory, count: memory == nil ? 0 : bytes.count, charge: nil)
  }

  deinit { free(memory) }

  /// Bytes without the padding.
  public var count: Int { length }

  /// The bytes, with 64 readable zeros behind them; valid while this lives.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: length) }
}
