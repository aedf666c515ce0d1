internal import Foundation
internal import Telemetry

/// The answers of the API about symbols.
public enum SymbolJSON {
  /// `{"schema": 1, "symbols": […], "bytes": …, "limit": …}`
  public static func list(_ symbols: [StoredSymbols], limit: Int) throws -> [UInt8] {
    try encode(
      List(schema: 1, symbols: symbols.map(Entry.init), bytes: symbols.reduce(0) { $0 + $1.size }, limit: limit))
  }

  /// `{"schema": 1, "app": …, "builds": […]}`
  public static func coverage(_ coverage: [SymbolCoverage], app: String) throws -> [UInt8] {
    let builds = coverage.map { build in
      Build(
        release: build.release.version, build: build.release.build, binaries: build.binaries,
        withSymbols: build.withSymbols,
        missing: build.missing.map { Binary(name: $0.name, uuid: UUIDText.dashed($0.uuid)) })
    }
    return try encode(Coverage(schema: 1, app: app, builds: builds))
  }

  /// `{"stored": […], "replaced": […], "known": […], "refused": […], "without_symbols": …}`
  public static func receipt(_ receipt: SymbolReceipt) throws -> [UInt8] {
    try encode(
      Receipt(
        stored: receipt.stored.map(Entry.init), replaced: receipt.replaced.map(Entry.init),
        known: receipt.known.map(Entry.init),
        refused: receipt.refused.map { Refused(name: $0.name, reason: $0.reason) },
        withoutSymbols: receipt.withoutSymbols))
  }

  private static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
  }

  // Names of members as they stand in the JSON.

  private struct Entry: Encodable {
    let uuid: String
    let name: String
    let arch: String
    let size: Int
    let uploaded: String
    let used: String
    let trouble: String?

    init(_ symbols: StoredSymbols) {
      uuid = UUIDText.dashed(symbols.uuid)
      name = symbols.name
      arch = symbols.architecture
      size = symbols.size
      uploaded = symbols.uploaded.iso
      used = symbols.used.iso
      trouble = symbols.trouble
    }

    private enum Key: String, CodingKey {
      case uuid, name, arch, size, uploaded, used, trouble
    }

    /// What is not known is null, never absent.
    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(uuid, forKey: .uuid)
      try members.encode(name, forKey: .name)
      try members.encode(arch, forKey: .arch)
      try members.encode(size, forKey: .size)
      try members.encode(uploaded, forKey: .uploaded)
      try members.encode(used, forKey: .used)
      try members.encode(trouble, forKey: .trouble)
    }
  }

  private struct List: Encodable {
    let schema: Int
    let symbols: [Entry]
    let bytes: Int
    let limit: Int
  }

  private struct Binary: Encodable {
    let name: String
    let uuid: String
  }

  private struct Build: Encodable {
    let release: String
    let build: String
    let binaries: Int
    let withSymbols: Int
    let missing: [Binary]
  }

  private struct Coverage: Encodable {
    let schema: Int
    let app: String
    let builds: [Build]
  }

  private struct Refused: Encodable {
    let name: String
    let reason: String
  }

  private struct Receipt: Encodable {
    let stored: [Entry]
    let replaced: [Entry]
    let known: [Entry]
    let refused: [Refused]
    let withoutSymbols: Int
  }
}
