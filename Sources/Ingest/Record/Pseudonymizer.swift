/// The transformations applied before a report is written. Raw ids are replaced by keyed hashes, because they are never
/// stored. Diagnostics are compressed, because they are large.
public struct Pseudonymizer: Sendable {
  /// The keyed hash of `text`. Equal texts have different hashes in different scopes.
  var hash: @Sendable (_ text: String, _ scope: String) -> UInt64
  /// The bytes as a zstd frame.
  var compress: @Sendable (UnsafeRawBufferPointer) -> [UInt8]

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
