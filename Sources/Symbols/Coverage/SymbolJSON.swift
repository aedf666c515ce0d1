internal import Core

/// The API's responses about symbols. Members are sorted by name; unknown values are null, never absent.
public enum SymbolJSON {
  /// The list of stored symbols: `{"bytes": …, "limit": …, "schema": 1, "symbols": […]}`.
  public static func list(_ symbols: [StoredSymbols], limit: Int) -> [UInt8] {
    JSONOutput.object([
      ("bytes", .count(symbols.reduce(0) { $0 + $1.size })), ("limit", .count(limit)), ("schema", .integer(1)),
      ("symbols", .array(symbols.map(entry))),
    ]).encoded()
  }

  /// The coverage of an app's builds: `{"app": …, "builds": […], "schema": 1}`.
  public static func coverage(_ coverage: [SymbolCoverage], app: String) -> [UInt8] {
    JSONOutput.object([
      ("app", .string(app)), ("builds", .array(coverage.map(build))), ("schema", .integer(1)),
    ]).encoded()
  }

  /// The result of an upload: `{"known": […], "refused": […], "replaced": […], "stored": […], "without_symbols": …}`.
  public static func receipt(_ receipt: SymbolReceipt) -> [UInt8] {
    JSONOutput.object([
      ("known", .array(receipt.known.map(entry))),
      (
        "refused",
        .array(receipt.refused.map { .object([("name", .string($0.name)), ("reason", .string($0.reason))]) })
      ),
      ("replaced", .array(receipt.replaced.map(entry))), ("stored", .array(receipt.stored.map(entry))),
      ("without_symbols", .count(receipt.withoutSymbols)),
    ]).encoded()
  }

  private static func entry(_ symbols: StoredSymbols) -> JSONOutput {
    .object([
      ("arch", .string(symbols.architecture)), ("name", .string(symbols.name)), ("size", .count(symbols.size)),
      ("trouble", .optional(symbols.trouble)), ("uploaded", .string(symbols.uploaded.iso)),
      ("used", .string(symbols.used.iso)), ("uuid", .string(UUIDText.dashed(symbols.uuid))),
    ])
  }

  private static func build(_ coverage: SymbolCoverage) -> JSONOutput {
    let missing = coverage.missing.map { image in
      JSONOutput.object([("name", .string(image.name)), ("uuid", .string(UUIDText.dashed(image.uuid)))])
    }
    return .object([
      ("binaries", .count(coverage.binaries)), ("build", .string(coverage.release.build)),
      ("missing", .array(missing)), ("release", .string(coverage.release.version)),
      ("with_symbols", .count(coverage.withSymbols)),
    ])
  }
}
