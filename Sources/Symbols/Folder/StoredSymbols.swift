internal import Foundation
public import Telemetry

/// Symbols of one binary for one architecture, as the folder keeps them.
public struct StoredSymbols: Sendable, Equatable {
  /// 32 upper-case hexadecimal digits.
  public var uuid: String
  /// `Shop`, as the uploaded file was called.
  public var name: String
  /// `arm64`
  public var architecture: String
  /// Bytes on disk.
  public var size: Int
  /// Where `__TEXT` is linked to begin.
  public var textAddress: UInt64
  /// Where its code is, as offsets from there.
  public var code: Range<UInt64>
  /// When it was uploaded.
  public var uploaded: Timestamp
  /// When it was last used for a lookup, to the hour; the upload counts as a use.
  public var used: Timestamp
  /// Why it is no longer read: the symbolizer failed on it repeatedly. Nil while it is read.
  public var trouble: String?
}

/// The JSON file beside each file of symbols: what lists show, and what is needed before the symbols are opened.
struct SymbolMetadata: Codable {
  var name: String
  var architecture: String
  var textAddress: UInt64
  var code: Range<UInt64>
  /// Milliseconds since 1970.
  var uploaded: Int64
  var trouble: String?

  init(_ symbols: StoredSymbols) {
    name = symbols.name
    architecture = symbols.architecture
    textAddress = symbols.textAddress
    code = symbols.code
    uploaded = symbols.uploaded.milliseconds
    trouble = symbols.trouble
  }

  func symbols(uuid: String, size: Int, used: Timestamp) -> StoredSymbols {
    StoredSymbols(
      uuid: uuid, name: name, architecture: architecture, size: size, textAddress: textAddress, code: code,
      uploaded: Timestamp(milliseconds: uploaded), used: used, trouble: trouble)
  }

  func encoded() throws -> [UInt8] { [UInt8](try JSONEncoder().encode(self)) }

  static func decode(_ bytes: [UInt8]) -> SymbolMetadata? { try? JSONDecoder().decode(Self.self, from: Data(bytes)) }
}
