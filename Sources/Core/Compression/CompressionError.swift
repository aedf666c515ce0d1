internal import CCompression

/// The error for bytes that cannot be decompressed. No output is returned with it.
public struct CompressionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The category of a decompression failure.
  public enum Kind: Sendable {
    /// The decompressed data exceeds the limit, or its memory cannot be allocated.
    case tooLarge
    /// The data is not of the stated content coding, or is followed by other data.
    case damaged
    /// The compressed data ends too early.
    case truncated
  }

  /// The category of the decompression failure.
  public var kind: Kind
  /// The error message, such as `The gzip data ends too early, after 12 bytes.`
  public var description: String

  /// Creates an error with its category and message.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  init(_ status: plumb_unpack_status, _ coding: ContentCoding, size: Int, limit: Int) {
    self.init(status, "\(coding)", size: size, limit: limit)
  }

  init(_ status: plumb_unpack_status, _ coding: String, size: Int, limit: Int) {
    switch status {
    case PLUMB_UNPACK_FULL: self.init(.tooLarge, "The \(coding) data decompresses to more than \(limit) bytes.")
    case PLUMB_UNPACK_WINDOW:
      let window = 1 << PLUMB_ZSTD_WINDOW_LOG
      self.init(
        .tooLarge, "The zstd frame needs a window of more than \(window) bytes: compress without --ultra or --long.")
    case PLUMB_UNPACK_NO_MEMORY: self.init(.tooLarge, "Not enough memory to decompress \(coding).")
    case PLUMB_UNPACK_TRUNCATED: self.init(.truncated, "The \(coding) data ends too early, after \(size) bytes.")
    default: self.init(.damaged, "The bytes are not \(coding), are damaged, or are followed by other data.")
    }
  }
}
