/// Replaces raw ids by keyed hashes before a report is written, because they are never stored.
public struct Pseudonymizer: Sendable {
  /// The keyed hash of `text`. Equal texts have different hashes in different scopes.
  var hash: @Sendable (_ text: String, _ scope: String) -> UInt64

  public init(hash: @escaping @Sendable (String, String) -> UInt64) { self.hash = hash }

  func session(_ id: String, app: Int32) -> UInt64 { hash(id, "session \(app)") }

  func user(_ id: String, app: Int32) -> UInt64 { hash(id, "user \(app)") }
}
