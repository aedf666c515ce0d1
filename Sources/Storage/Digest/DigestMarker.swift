/// A marker on disk for the batch in progress. If it exists when a process starts, an earlier process crashed or was
/// killed during that batch.
public protocol DigestMarker: Sendable {
  /// Stores `target`, the position that the digest will reach with the batch it starts.
  func set(_ target: DigestPosition) throws

  /// Removes the marker after the batch was applied.
  func clear() throws

  /// The position in the marker of a process that ended during a batch; nil without a marker.
  func read() throws -> DigestPosition?
}

extension DigestPosition {
  /// Parses a marker such as `digesting 1200 7=1100` (position, then each app that is behind); nil for any other text.
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

  /// The marker's text, which `init(marker:)` parses.
  public var marker: String { "digesting \(through)" + behind.map { " \($0.key)=\($0.value)" }.joined() }
}
