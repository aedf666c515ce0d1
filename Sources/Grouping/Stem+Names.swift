public import Telemetry

extension Stem {
  /// The stem with the names that `symbols` has of its frames, by binary and offset of the call. A frame of which they say
  /// nothing keeps the names it had.
  public func named(by symbols: [String: [UInt64: [CallTree.Symbol]]]) -> Stem {
    var stem = self
    for (place, frame) in frames.enumerated() {
      guard let offset = frame.callOffset, let found = symbols[frame.uuid]?[offset], !found.isEmpty else { continue }
      stem.frames[place].names = found.suffix(Self.mostNames).map { Self.short($0.function) }
    }
    return stem
  }

  /// Names of code may be as long as whoever made them likes; what is kept of them is not. Of functions inlined into one
  /// place the innermost count.
  private static let mostNames = 20
  private static let longestName = 1_000

  private static func short(_ name: String) -> String {
    name.utf8.count <= longestName ? name : String(decoding: name.utf8.prefix(longestName), as: UTF8.self)
  }
}
