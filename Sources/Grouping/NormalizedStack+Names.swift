public import Telemetry

extension NormalizedStack {
  /// The stem with the names that `symbols` has of its frames, by binary and offset of the call. A frame of which they say
  /// nothing keeps the names it had.
  public func named(by symbols: [String: [UInt64: [CallTree.Symbol]]]) -> NormalizedStack {
    var stem = self
    for (place, frame) in frames.enumerated() {
      if frame.owner != .app, !frame.uuid.isEmpty, symbols[frame.uuid] != nil { stem.frames[place].hadSymbols = true }
      guard let offset = frame.callOffset, let found = symbols[frame.uuid]?[offset], !found.isEmpty else { continue }
      stem.frames[place].names = found.suffix(Self.mostNames).map { Self.short($0.function) }
    }
    return stem
  }

  /// The stem with the names that another one has of code at the same places of the same build.
  public func named(like other: NormalizedStack) -> NormalizedStack {
    var stem = self
    for (place, frame) in frames.enumerated() where frame.names.isEmpty && !frame.uuid.isEmpty {
      let twin = other.frames.first {
        $0.uuid == frame.uuid && $0.callOffset == frame.callOffset && frame.callOffset != nil && !$0.names.isEmpty
      }
      guard let twin else { continue }
      stem.frames[place].names = twin.names
      stem.frames[place].hadSymbols = twin.hadSymbols
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
