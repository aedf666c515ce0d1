public import Telemetry

/// Nobody uploaded any symbols.
public struct NoSymbols: SymbolSource {
  public init() {}

  public var generation: Int { 0 }

  public func hasSymbols(uuid: String) -> Bool { false }

  public func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] { [:] }
}
