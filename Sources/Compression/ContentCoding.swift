internal import CCompression

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

/// Why bytes could not be decompressed. Nothing of them is kept.
public struct CompressionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What sort of problem it is.
  public enum Kind: Sendable {
    /// The output would be larger than the limit, or needs more memory than there is for it.
    case tooLarge
    /// The bytes are not what they are said to be, or something follows their end.
    case damaged
    /// The bytes end too early.
    case truncated
  }

  /// What sort of problem it is.
  public var kind: Kind
  /// `The gzip data ends too early, after 12 bytes.`
  public var description: String

  /// A problem of that sort, in words.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  init(_ status: plumb_unpack_status, _ coding: ContentCoding, size: Int, limit: Int) {
    self.init(status, "\(coding)", size: size, limit: limit)
  }

  init(_ status: plumb_unpack_status, _ coding: String, size: Int, limit: Int) {
    switch status {
    case PLUMB_UNPACK_FULL: self.init(.tooLarge, "The \(coding) data holds more than \(limit) bytes.")
    case PLUMB_UNPACK_WINDOW:
      let window = 1 << PLUMB_ZSTD_WINDOW_LOG
      self.init(
        .tooLarge, "The zstd frame wants a window of more than \(window) bytes: compress without --ultra or --long.")
    case PLUMB_UNPACK_NO_MEMORY: self.init(.tooLarge, "There is no memory to decompress \(coding).")
    case PLUMB_UNPACK_TRUNCATED: self.init(.truncated, "The \(coding) data ends too early, after \(size) bytes.")
    default: self.init(.damaged, "The bytes are not \(coding), are damaged, or go on behind their end.")
    }
  }
}
