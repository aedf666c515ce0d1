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
