public import Telemetry

/// A source of symbols that may be unavailable for a while, and reports it.
public protocol SymbolLookup: SymbolSource {
  /// Names as `symbols` returns them, and the offsets that could not be looked up. Every other offset was looked up, whether
  /// it has a name or not.
  func lookUp(
    uuid: String, offsets: [UInt64]
  ) -> (names: [UInt64: [CallTree.Symbol]], unanswered: Set<UInt64>)
}

/// The source of symbols where none were uploaded.
public struct NoSymbols: SymbolSource {
  public init() {}

  public var generation: Int { 0 }

  public func hasSymbols(uuid: String) -> Bool { false }

  public func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] { [:] }
}
