/// Names of the code behind frames, from symbols that somebody uploaded.
public protocol SymbolSource: Sendable {
  /// Grows whenever symbols are added or removed, so that what was worked out without them can be worked out again.
  var generation: Int { get }

  /// Whether symbols of this binary are there. `uuid`: 32 upper-case hexadecimal digits.
  func hasSymbols(uuid: String) -> Bool

  /// For each offset from the start of the binary's `__TEXT` that could be resolved: the function and those inlined into it,
  /// outermost first. Names are demangled. Empty when the binary has no symbols.
  ///
  /// An offset is looked up as given: the caller subtracts one from return addresses.
  func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]]
}
