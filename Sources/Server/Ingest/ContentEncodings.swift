import Compression

/// The one or two codings of a body.
struct ContentEncodings: Equatable {
  /// Applied last, undone first.
  let outer: ContentCoding
  let inner: ContentCoding?

  /// Zeros that simdjson may read behind a document, as behind a body that came plain.
  private static let padding = 64

  /// Undoes the codings in turn. None of the steps may give more than `limit` bytes.
  func unpack(_ body: UnsafeRawBufferPointer, limit: Int) throws(CompressionError) -> Decompressed {
    let unpacked = try Compression.decompress(body, outer, limit: limit, padding: Self.padding)
    guard let inner else { return unpacked }
    return try unpacked.withOutput { bytes throws(CompressionError) in
      try Compression.decompress(bytes, inner, limit: limit, padding: Self.padding)
    }
  }
}
