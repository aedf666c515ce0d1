import Foundation
import Testing
import TestSupport

@testable import Core

/// Packed data with its coding.
struct Packed: CustomTestStringConvertible, Sendable {
  var testDescription: String
  var coding: ContentCoding
  var data: Data

  /// The sample text, in every coding.
  static let texts = [
    Packed(testDescription: "gzip", coding: .gzip, data: PackedText.gzip),
    Packed(testDescription: "zlib", coding: .deflate, data: PackedText.zlib),
    Packed(testDescription: "raw deflate", coding: .deflate, data: PackedText.rawDeflate),
    Packed(testDescription: "brotli", coding: .brotli, data: PackedText.brotli),
    Packed(testDescription: "zstd", coding: .zstd, data: PackedText.zstd),
  ]

  /// 1 GiB of zeros or more, in every coding.
  static let bombs = [
    Packed(testDescription: "gzip", coding: .gzip, data: Bomb.gzip(packedSize: 7 << 20)),
    Packed(testDescription: "zlib", coding: .deflate, data: Bomb.zlib(packedSize: 7 << 20)),
    Packed(testDescription: "raw deflate", coding: .deflate, data: Bomb.rawDeflate(packedSize: 7 << 20)),
    Packed(testDescription: "brotli", coding: .brotli, data: Bomb.brotli),
    Packed(testDescription: "zstd", coding: .zstd, data: Bomb.zstd(blocks: 8192)),
  ]
}

/// Decompresses data.
func unpack(
  _ data: some Sequence<UInt8>, _ coding: ContentCoding, limit: Int = 1 << 20, padding: Int = 0
) throws(CompressionError) -> Decompressed {
  let bytes = [UInt8](data)
  return try bytes.withUnsafeBufferPointer { bytes throws(CompressionError) in
    try Compression.decompress(UnsafeRawBufferPointer(bytes), coding, limit: limit, padding: padding)
  }
}

/// Why data cannot be decompressed; nil when it can.
func failure(_ data: some Sequence<UInt8>, _ coding: ContentCoding, limit: Int = 1 << 20) -> CompressionError.Kind? {
  do throws(CompressionError) {
    _ = try unpack(data, coding, limit: limit)
    return nil
  } catch {
    return error.kind
  }
}
