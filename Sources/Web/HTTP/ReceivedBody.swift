import Glibc

/// A body that was moved out of its request, for use on another thread. It stays charged to its account while it
/// exists.
///
/// `@unchecked Sendable`: the bytes never change after `init` and are freed with the last reference.
public final class ReceivedBody: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer?
  private let length: Int
  private let charge: BodyCharge?

  init(memory: UnsafeMutableRawPointer?, count: Int, charge: BodyCharge?) {
    self.charge = charge
    length = count
    self.memory = memory ?? calloc(1, BodyBuffer.padding)
  }

  /// Creates a body with a copy of `bytes`, which the caller owns.
  convenience init(copying bytes: UnsafeRawBufferPointer) {
    let memory = calloc(1, bytes.count + BodyBuffer.padding)
    if let memory, let source = bytes.baseAddress { memory.copyMemory(from: source, byteCount: bytes.count) }
    self.init(memory: memory, count: memory == nil ? 0 : bytes.count, charge: nil)
  }

  deinit { free(memory) }

  /// The size in bytes, without the padding.
  var count: Int { length }

  /// The bytes, followed by 64 readable zeros. Valid while this object exists.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: length) }
}
