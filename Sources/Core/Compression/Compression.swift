import CCompression
import Synchronization

/// Decompression of HTTP's content codings (gzip, deflate, brotli, zstd), and compression with gzip and zstd.
public enum Compression {
  /// Decompresses all of `bytes`. Concatenated gzip members and zstd frames are read as one. Any other data after the
  /// end is an error.
  ///
  /// Memory is limited whatever size the input announces: `limit` bytes of output and the coding's window (32 KiB; 16
  /// MiB for brotli, 8 MiB for zstd). Output beyond `limit` throws `.tooLarge` as soon as it is reached.
  ///
  /// - Parameters:
  ///   - limit: the maximum size of the output, in bytes.
  ///   - padding: the number of zero bytes appended to the output.
  public static func decompress(
    _ bytes: UnsafeRawBufferPointer, _ coding: ContentCoding, limit: Int, padding: Int = 0
  ) throws(CompressionError) -> Decompressed {
    let unpacker = try Unpacker(bytes, coding.native)
    var growth = OutputGrowth(limit: limit, announced: announcedSize(bytes, coding), inputSize: bytes.count)
    var output: [UInt8] = []
    while true {
      var status = PLUMB_UNPACK_FULL
      var size = output.count
      output = [UInt8](unsafeUninitializedCapacity: growth.capacity + padding) { room, count in
        output.withUnsafeBytes { UnsafeMutableRawBufferPointer(room).copyMemory(from: $0) }
        // Freed before the new buffer is filled, so that there are never two full outputs at once.
        output = []
        let (ended, written) = unpacker.run(into: UnsafeMutableBufferPointer(rebasing: room[size..<growth.capacity]))
        status = ended
        size += written
        count = size
        guard ended == PLUMB_UNPACK_DONE else { return }
        room[size..<(size + padding)].update(repeating: 0)
        count += padding
      }
      if status == PLUMB_UNPACK_DONE, size <= limit { return Decompressed(bytes: output, count: size) }
      if status == PLUMB_UNPACK_DONE { status = PLUMB_UNPACK_FULL }
      guard status == PLUMB_UNPACK_FULL, growth.grow() else {
        throw CompressionError(status, coding, size: bytes.count, limit: limit)
      }
    }
  }

  /// Compresses to one gzip member, at level 6.
  public static func compress(gzip bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    let room = plumb_gzip_bound(bytes.count)
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      count = plumb_gzip_compress(buffer.baseAddress, room, start, bytes.count, 6)
      precondition(count > 0, "Not enough memory for gzip.")
    }
  }

  static func announcedSize(_ bytes: UnsafeRawBufferPointer, _ coding: ContentCoding) -> Int {
    Int(
      clamping: plumb_announced_size(coding.native, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    )
  }
}

/// The capacity of a growing output buffer.
///
/// The capacity doubles. The last step, to the limit, starts from at most half of the limit, so that the old and the
/// new buffer together fit into it during a copy. The capacity includes one byte beyond the limit, which reveals output
/// that is too large.
struct OutputGrowth {
  private let most: Int
  private(set) var capacity: Int

  /// `announced`: the output size that the input states, 0 if none. It is trusted up to 32 times the input's size.
  init(limit: Int, announced: Int, inputSize: Int) {
    most = min(max(0, limit), Int.max / 4) + 1
    let ordinary = max(4096, min(inputSize, Int.max / 128) * 32)
    let guess = announced > 0 ? min(announced, ordinary) : max(4096, ordinary / 4)
    capacity = min(most, guess + 1)
  }

  /// Enlarges the output buffer; returns false when it has reached its limit.
  mutating func grow() -> Bool {
    guard capacity < most else { return false }
    capacity = capacity > most / 4 ? most : capacity * 2
    return true
  }
}

/// The result of a decompression, followed by zero bytes as padding.
public struct Decompressed: Sendable {
  /// The decompressed bytes, followed by zero bytes as padding.
  public var bytes: [UInt8]
  /// The size of the decompressed data in bytes, without the padding.
  public var count: Int

  /// Passes the decompressed data to `use`. The padding after its end is readable.
  public func withOutput<Result, Failure: Error>(
    _ use: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      try use(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count])))
    }
  }
}
