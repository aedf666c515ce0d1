internal import CCompression
import Synchronization

extension Compression {
  /// Compresses to one zstd frame, at level 1. Level 3 makes the frames of diagnostic bodies only one percent smaller,
  /// and clears tables three times as large for each frame.
  public static func compress(zstd bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let room = plumb_zstd_bound(bytes.count)
    return ZstdState.lend { state in
      [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        count = plumb_zstd_compress(state, buffer.baseAddress, room, start, bytes.count, 1)
        // `room` suffices for the largest frame, so only missing memory can cause this. Swift also ends the process
        // when it has no memory, for example for the array. The caller has no alternative: a record that is not
        // compressed must not be acknowledged.
        precondition(count > 0, "Not enough memory for zstd.")
      }
    }
  }

  /// Decompresses zstd frames, for example those of `compress(zstd:)`; see `decompress(_:_:limit:padding:)`.
  public static func decompress(zstd bytes: UnsafeRawBufferPointer, limit: Int) throws(CompressionError) -> [UInt8] {
    let size = announcedSize(bytes, .zstd)
    if size > 0, size <= min(limit, largestWhole), let whole = whole(zstd: bytes, size: size) { return whole }
    return try decompress(bytes, .zstd, limit: limit).bytes
  }

  /// The maximum size of content, in bytes, that is decompressed in one call, with memory for the announced size.
  private static let largestWhole = 1 << 20

  /// The content of one frame with exactly `size` bytes; nil for any other input.
  private static func whole(zstd bytes: UnsafeRawBufferPointer, size: Int) -> [UInt8]? {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let output = ZstdState.lend { state in
      [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = plumb_zstd_decompress(state, buffer.baseAddress, size, start, bytes.count) ? size : 0
      }
    }
    return output.isEmpty ? nil : output
  }
}

/// Bytes that are stored as a zstd frame, before or after they are compressed. They are compressed where they are
/// stored, because most diagnostics of a frequent crash are counted without being stored.
public struct CompressibleBytes: Sendable, Equatable {
  /// The bytes, or the frame.
  public let bytes: [UInt8]
  public let isFrame: Bool

  public init(_ bytes: [UInt8], isFrame: Bool = false) {
    self.bytes = bytes
    self.isFrame = isFrame
  }

  /// The bytes as a zstd frame.
  public func frame() -> [UInt8] { isFrame ? bytes : bytes.withUnsafeBytes { Compression.compress(zstd: $0) } }

  /// Passes the bytes before compression to `body`. Throws if a frame is damaged or its content is larger than `limit`.
  public func withContent<Result>(limit: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
    guard isFrame else { return try bytes.withUnsafeBytes(body) }
    return try bytes.withUnsafeBytes { try Compression.decompress(zstd: $0, limit: limit) }.withUnsafeBytes(body)
  }
}

/// A pool of idle zstd states. They are kept because creating one takes longer than compressing a small text.
///
/// Invariant: a state is either in `idle` or used by exactly one thread, so it is never used by two at once.
private struct ZstdState: @unchecked Sendable {
  private let state: OpaquePointer

  private static let idle = Mutex<[ZstdState]>([])
  /// The maximum number of idle states: more than the number of threads that use them often.
  private static let mostIdle = 8
  /// The maximum size of an idle state, in bytes. A state that compressed a large text is larger.
  private static let largestIdle = 2 << 20

  static func lend<Result>(_ use: (OpaquePointer) -> Result) -> Result {
    let lent = idle.withLock { $0.popLast() } ?? made()
    defer { lent.giveBack() }
    return use(lent.state)
  }

  private static func made() -> ZstdState {
    // A state takes a few kilobytes. As above, the caller has no alternative.
    guard let state = plumb_zstd_state_create() else { preconditionFailure("Not enough memory for zstd.") }
    return ZstdState(state: state)
  }

  private func giveBack() {
    let isKept =
      plumb_zstd_state_memory(state) <= Self.largestIdle
      && Self.idle.withLock { idle in
        guard idle.count < Self.mostIdle else { return false }
        idle.append(self)
        return true
      }
    if !isKept { plumb_zstd_state_destroy(state) }
  }
}

/// A zstd dictionary and its compressor. It also shrinks content of a few hundred bytes if that resembles the content
/// on which the dictionary was trained.
///
/// Unchecked: `native` contains zstd's contexts, which serve one thread at a time; it is used only with `lock` held.
public final class ZstdDictionary: @unchecked Sendable {
  private let native: OpaquePointer
  private let lock = Mutex(())

  /// Nil if `bytes` is not a dictionary in zstd's format.
  public init?(_ bytes: [UInt8], level: Int32) {
    guard let native = plumb_zstd_dictionary_create(bytes, bytes.count, level) else { return nil }
    self.native = native
  }

  deinit { plumb_zstd_dictionary_destroy(native) }

  /// Compresses to one frame with a checksum of the content.
  public func compress(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let room = plumb_zstd_bound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      count = lock.withLock { _ in
        plumb_zstd_dictionary_compress(native, buffer.baseAddress, room, start, bytes.count)
      }
      precondition(count > 0, "Not enough memory for zstd.")
    }
  }

  /// The content of one frame; nil if the frame is damaged, was made with another dictionary, or announces content
  /// larger than `limit` bytes.
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
