public import Telemetry

/// A source of symbols that reports lookups it could not make, such as a symbolizer that is temporarily unavailable.
public protocol SymbolLookup: SymbolSource {
  /// The functions as `symbols` returns them, and the offsets that could not be looked up. All others were looked up,
  /// whether they have a name or not.
  func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>)
}

/// A source without any symbols.
public struct NoSymbols: SymbolSource {
  public init() {}

  public var generation: Int { 0 }

  public func hasSymbols(uuid: String) -> Bool { false }

  public func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] { [:] }
}
