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
