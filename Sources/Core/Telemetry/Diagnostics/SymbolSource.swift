/// A source of function names for frames: the uploaded symbols.
public protocol SymbolSource: Sendable {
  /// A number that grows whenever symbols are added or removed, so that results computed before can be refreshed.
  var generation: Int { get }

  /// Whether symbols of this binary are stored and show that it belongs to the app, not to the system. `uuid` is 32
  /// upper-case hexadecimal digits.
  func hasSymbols(uuid: String) -> Bool

  /// For each offset (bytes from the start of the binary's `__TEXT`) that could be resolved: the function and those
  /// inlined into it, outermost first. Names are demangled. The result is empty if the binary has no symbols.
  ///
  /// An offset is looked up as given: the caller subtracts one from return addresses.
  func symbols(uuid: String, offsets: [UInt64]) -> [UInt64: [CallTree.Symbol]]
}
