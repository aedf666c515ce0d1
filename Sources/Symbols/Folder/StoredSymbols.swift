public import Core
import Foundation

/// The stored symbols of one binary for one architecture.
public struct StoredSymbols: Sendable, Equatable {
  /// The UUID as 32 upper-case hexadecimal digits.
  public var uuid: String
  /// The name of the uploaded file, such as `Shop`.
  public var name: String
  /// The architecture, such as `arm64`.
  public var architecture: String
  /// The size of the symbols' file, in bytes.
  public var size: Int
  /// The address at which `__TEXT` is linked.
  var textAddress: UInt64
  /// The range of the binary's code, as byte offsets from `textAddress`.
  var code: Range<UInt64>
  /// The time at which the symbols were uploaded.
  public var uploaded: Timestamp
  /// The time of the last lookup, to the hour; the time of the upload before any lookup.
  var used: Timestamp
  /// The reason why the symbols are no longer used, if the symbolizer failed on them repeatedly; nil otherwise.
  public var trouble: String?
  /// Whether the binary belongs to the system: its frames are symbolicated, but do not count as the app's code.
  public var isSystem = false
}

/// The JSON file next to each symbols file: the fields of lists, and those needed before the symbols are opened.
struct SymbolMetadata: Codable {
  var name: String
  var architecture: String
  var textAddress: UInt64
  var code: Range<UInt64>
  /// The time of the upload, in milliseconds since 1970.
  var uploaded: Int64
  var trouble: String?
  /// Nil in files of versions that stored no system symbols.
  var isSystem: Bool?

  init(_ symbols: StoredSymbols) {
    name = symbols.name
    architecture = symbols.architecture
    textAddress = symbols.textAddress
    code = symbols.code
    uploaded = symbols.uploaded.milliseconds
    trouble = symbols.trouble
    isSystem = symbols.isSystem ? true : nil
  }

  func symbols(uuid: String, size: Int, used: Timestamp) -> StoredSymbols {
    StoredSymbols(
      uuid: uuid, name: name, architecture: architecture, size: size, textAddress: textAddress, code: code,
      uploaded: Timestamp(milliseconds: uploaded), used: used, trouble: trouble, isSystem: isSystem ?? false)
  }

  func encoded() throws -> [UInt8] { [UInt8](try JSONEncoder().encode(self)) }

  static func decode(_ bytes: [UInt8]) -> SymbolMetadata? { try? JSONDecoder().decode(Self.self, from: Data(bytes)) }
}

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
