/// A content coding of HTTP that Plumb reads.
public enum ContentCoding: Sendable {
  /// RFC 1952.
  case gzip
  /// zlib's wrapper (RFC 1950); bare deflate (RFC 1951) is read too, for many clients send it.
  case deflate
  /// RFC 7932.
  case brotli
  /// RFC 8878.
  case zstd

  /// Reads one token of a Content-Encoding, in any letter case, with or without white space around it; `x-gzip` is
  /// gzip. Nil for one that is not known, and for `identity`, which is no coding at all.
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
