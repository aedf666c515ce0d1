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

extension DigestPosition {
  /// Reads `digesting 1200 7=1100`; nil for anything else.
  public init?(marker line: String) {
    let words = line.split(separator: " ")
    guard words.count > 1, words[0] == "digesting", let through = Int64(words[1]) else { return nil }
    self.init(through: through)
    for word in words.dropFirst(2) {
      let pair = word.split(separator: "=")
      guard pair.count == 2, let app = AppID(pair[0]), let sequence = Int64(pair[1]) else { return nil }
      behind[app] = sequence
    }
  }

  /// The form that `init(marker:)` reads.
  public var marker: String { "digesting \(through)" + behind.map { " \($0.key)=\($0.value)" }.joined() }
}
