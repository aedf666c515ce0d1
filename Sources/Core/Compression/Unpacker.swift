internal import CCompression

/// A decompression in progress that returns its output piece by piece.
struct Unpacker: ~Copyable {
  private let state: OpaquePointer

  /// Starts a decompression. `bytes` must outlive it.
  init(_ bytes: UnsafeRawBufferPointer, _ coding: plumb_coding) throws(CompressionError) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let state = plumb_unpacker_create(coding, start, bytes.count) else {
      throw CompressionError(.tooLarge, "Not enough memory for decompression.")
    }
    self.state = state
  }

  deinit { plumb_unpacker_destroy(state) }

  /// Writes the next part of the output into `room`, which must not be empty.
  func run(into room: UnsafeMutableBufferPointer<UInt8>) -> (status: plumb_unpack_status, written: Int) {
    var written = 0
    let status = plumb_unpacker_run(state, room.baseAddress, room.count, &written)
    return (status, written)
  }
}

extension ContentCoding {
  var native: plumb_coding {
    switch self {
    case .gzip: PLUMB_CODING_GZIP
    case .deflate: PLUMB_CODING_DEFLATE
    case .brotli: PLUMB_CODING_BROTLI
    case .zstd: PLUMB_CODING_ZSTD
    }
  }
}

extension Compression {
  /// Decompresses `bytes` piece by piece, for outputs too large for memory. `take` receives the pieces in order and
  /// returns false to stop early. Output beyond `limit` bytes throws `.tooLarge` after `take` received the pieces
  /// before it.
  public static func decompress(
    _ bytes: UnsafeRawBufferPointer, _ coding: ContentCoding, limit: Int,
    pieces take: (UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    try decompress(bytes, coding.native, "\(coding)", limit, take)
  }

  /// Decompresses raw deflate (RFC 1951), as zip archives contain it, piece by piece like
  /// `decompress(_:_:limit:pieces:)`.
  public static func inflate(
    _ bytes: UnsafeRawBufferPointer, limit: Int, pieces take: (UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    try decompress(bytes, PLUMB_CODING_RAW_DEFLATE, "deflate", limit, take)
  }

  /// The CRC-32 of zip and gzip. `sum` is the checksum of the preceding bytes, 0 at the start.
  public static func crc32(_ bytes: UnsafeRawBufferPointer, after sum: UInt32 = 0) -> UInt32 {
    guard let start = bytes.baseAddress else { return sum }
    return plumb_crc32(sum, start.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  private static let pieceSize = 256 << 10

  private static func decompress(
    _ bytes: UnsafeRawBufferPointer, _ coding: plumb_coding, _ name: String, _ limit: Int,
    _ take: (UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let unpacker = try Unpacker(bytes, coding)
    let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: pieceSize)
    defer { room.deallocate() }
    var total = 0
    while true {
      let (status, written) = unpacker.run(into: room)
      total += written
      let isOver = total > limit
      guard !isOver, status == PLUMB_UNPACK_DONE || status == PLUMB_UNPACK_FULL else {
        throw CompressionError(isOver ? PLUMB_UNPACK_FULL : status, name, size: bytes.count, limit: limit)
      }
      guard try take(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<written])) else { return }
      if status == PLUMB_UNPACK_DONE { return }
    }
  }
}
