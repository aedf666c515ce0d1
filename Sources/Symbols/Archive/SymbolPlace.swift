/// Where in a bundle the symbols are.
enum SymbolPlace {
  /// Whether a file with this path is meant to hold symbols: `Shop.dSYM/Contents/Resources/DWARF/Shop`. Files that macOS
  /// hides there (`.DS_Store`, `._Shop` of its zips) are not.
  static func isMeant(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.dropLast().suffix(3).elementsEqual(["Contents", "Resources", "DWARF"])
      && parts.last?.hasPrefix(".") == false
  }
}
