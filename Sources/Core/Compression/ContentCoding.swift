internal import CCompression

/// An HTTP content coding that Plumb can decompress.
public enum ContentCoding: Sendable {
  /// gzip (RFC 1952).
  case gzip
  /// deflate: zlib's format (RFC 1950). Raw deflate (RFC 1951) is also accepted, because many clients send it.
  case deflate
  /// Brotli (RFC 7932).
  case brotli
  /// Zstandard (RFC 8878).
  case zstd

  /// Parses one token of a Content-Encoding header, in any letter case and with surrounding white space; `x-gzip` means
  /// gzip. Nil for an unknown coding and for `identity`, which means no coding.
  public init?(name: some StringProtocol) {
    var bytes = name.utf8.drop(while: Self.isSpace).map(Self.lowercased)
    while let last = bytes.last, Self.isSpace(last) { bytes.removeLast() }
    switch String(decoding: bytes, as: UTF8.self) {
    case "gzip", "x-gzip": self = .gzip
    case "deflate": self = .deflate
    case "br": self = .brotli
    case "zstd": self = .zstd
    default: return nil
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
