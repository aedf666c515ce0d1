public import Core

/// Symbols of an invented app, by binary and offset of the call.
public final class MemorySymbols: SymbolSource {
  public let generation: Int
  private let known: [String: [UInt64: [CallTree.Symbol]]]

  public init(generation: Int = 1, _ known: [String: [UInt64: [CallTree.Symbol]]]) {
    self.generation = generation
    self.known = known
  }

  public func hasSymbols(uuid: String) -> Bool { known[uuid] != nil }

  public func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]] {
    guard let binary = known[uuid] else { return [:] }
    return Dictionary(
      offsets.compactMap { offset in binary[offset].map { (offset, $0) } }, uniquingKeysWith: { $1 })
  }
}
