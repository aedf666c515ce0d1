public import Core

/// The output of `plumb symbols list`.
public struct StoredSymbolList: APIObject {
  let symbols: [StoredSymbols]
  let limit: Int

  /// `limit`: the maximum size of all symbols on disk, in bytes.
  public init(_ symbols: [StoredSymbols], limit: Int) { (self.symbols, self.limit) = (symbols, limit) }

  public static let fields = Fields<Self>("SymbolList", "The output of `plumb symbols list`.") {
    Field("bytes", { $0.symbols.reduce(0) { $0 + $1.size } }, "The size of all symbols on disk, in bytes.")
    Field("limit", \.limit, "The maximum size in bytes: `symbols-limit`.")
    Field.version(1)
    Field("symbols", \.symbols, "The symbols, sorted by name.")
  }

  public func json() -> [UInt8] { output.encoded() }
}

extension StoredSymbols: APIObject {
  public static let fields = Fields<Self>("StoredSymbols", "Symbols of one binary for one architecture.") {
    Field("arch", \.architecture, "`arm64`")
    Field("name", \.name, "The binary's name; empty if unknown.")
    Field("size", \.size, "The size on disk, in bytes.")
    Field("trouble", \.trouble, "Why the symbols are no longer read; null if they are.")
    Field("uploaded", \.uploaded.iso, "When the symbols were stored.", schema: .dateTime)
    Field("used", \.used.iso, "When the symbols were last used, to the hour.", schema: .dateTime)
    Field("uuid", { UUIDText.dashed($0.uuid) }, "The UUID as `dwarfdump --uuid` prints it.")
  }
}
