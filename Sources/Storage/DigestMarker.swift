/// Says on disk what the digest is about to do. What stands there when a process starts is what another one died of,
/// or was killed in.
public protocol DigestMarker: Sendable {
  /// The records up to this position are being worked on.
  func set(_ target: DigestPosition) throws

  /// The work was done.
  func clear() throws

  /// What was set and not cleared.
  func read() throws -> DigestPosition?
}
