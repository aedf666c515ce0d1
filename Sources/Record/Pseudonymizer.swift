/// What is done to a report's parts before they are written: raw ids are never stored, and diagnostics are large.
public struct Pseudonymizer: Sendable {
  /// The keyed hash of a text in a scope.
  public var hash: @Sendable (_ text: String, _ scope: String) -> UInt64
  /// The bytes as a zstd frame.
  public var compress: @Sendable (UnsafeRawBufferPointer) -> [UInt8]

  public init(
    hash: @escaping @Sendable (String, String) -> UInt64,
    compress: @escaping @Sendable (UnsafeRawBufferPointer) -> [UInt8]
  ) {
    self.hash = hash
    self.compress = compress
  }

  func session(_ id: String, app: Int32) -> UInt64 { hash(id, "session \(app)") }

  func user(_ id: String, app: Int32) -> UInt64 { hash(id, "user \(app)") }
}
