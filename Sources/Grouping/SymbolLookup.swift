public import Telemetry

/// Symbols that may fail to answer for a while, and know it.
public protocol SymbolLookup: SymbolSource {
  /// Names as `symbols` gives them, and the offsets of which nobody could be asked. Every other offset was looked up,
  /// whether it has a name or not.
  func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>)
}
