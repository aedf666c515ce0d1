internal import CCompression

/// Bytes on their way from compressed to plain.
struct Unpacker: ~Copyable {
  private let state: OpaquePointer

  /// `bytes` must outlive it.
  init(_ bytes: UnsafeRawBufferPointer, _ coding: plumb_coding) throws(CompressionError) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let state = plumb_unpacker_create(coding, start, bytes.count) else {
      throw CompressionError(.tooLarge, "There is no memory to decompress anything.")
    }
    self.state = state
  }

  deinit { plumb_unpacker_destroy(state) }

  /// Fills `room`, which is not empty, as far as the output goes.
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
