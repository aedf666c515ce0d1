internal import CCompression
internal import Synchronization

/// Compresses with a zstd dictionary: content of few hundred bytes shrinks, too, if it is like what the dictionary was
/// trained on.
///
/// Unchecked: `native` holds zstd's contexts, which are for one thread at a time; it is used with `lock` held only.
public final class ZstdDictionary: @unchecked Sendable {
  private let native: OpaquePointer
  private let lock = Mutex(())

  /// Nil when `bytes` is not a dictionary in zstd's format.
  public init?(_ bytes: [UInt8], level: Int32) {
    guard let native = plumb_zstd_dictionary_create(bytes, bytes.count, level) else { return nil }
    self.native = native
  }

  deinit { plumb_zstd_dictionary_destroy(native) }

  /// Compresses to one frame, which carries a checksum of the content.
  public func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let room = plumb_zstd_bound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      count = lock.withLock { _ in
        plumb_zstd_dictionary_compress(native, buffer.baseAddress, room, start, bytes.count)
      }
      precondition(count > 0, "There is no memory for zstd.")
    }
  }

  /// The content of one frame; nil when the frame is damaged, was made with another dictionary, or says that its content
  /// is larger than `limit` bytes.
  public func decompress(_ bytes: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let room = plumb_announced_size(PLUMB_CODING_ZSTD, start, bytes.count)
    guard room > 0, room <= UInt64(limit) else { return nil }
    var isWhole = false
    let content = [UInt8](unsafeUninitializedCapacity: Int(room)) { buffer, count in
      let written = lock.withLock { _ in
        plumb_zstd_dictionary_decompress(native, buffer.baseAddress, Int(room), start, bytes.count)
      }
      isWhole = written == Int(room)
      count = isWhole ? written : 0
    }
    return isWhole ? content : nil
  }
}
