public import Core
import Foundation

/// The result of an upload, file by file.
public struct SymbolReceipt: Sendable, Equatable {
  /// Files with a UUID that was not stored before.
  public var stored: [StoredSymbols] = []
  /// Files that replaced others with the same UUID.
  public var replaced: [StoredSymbols] = []
  /// Files that were already stored with the same bytes.
  public var known: [StoredSymbols] = []
  /// Files that were refused, with the reasons.
  public var refused: [Refusal] = []
  /// The number of executables and libraries without debug information. Archives contain them together with dSYMs, so
  /// they are not errors.
  public var withoutSymbols = 0

  /// Whether the folder now has at least one file of the upload, new or from before.
  public var holdsSymbols: Bool { !stored.isEmpty || !replaced.isEmpty || !known.isEmpty }

  /// Creates an empty receipt.
  init() {}

  /// A refused file of an upload, with the reason.
  public struct Refusal: Sendable, Equatable {
    public var name: String
    public var reason: String
  }

  /// The combined results of two uploads.
  static func + (left: Self, right: Self) -> Self {
    var sum = left
    sum.stored += right.stored
    sum.replaced += right.replaced
    sum.known += right.known
    sum.refused += right.refused
    sum.withoutSymbols += right.withoutSymbols
    return sum
  }

  mutating func refuse(_ name: String, _ reason: String) {
    // The list is bounded, because an archive may contain any number of bad files.
    guard refused.count < 1000 else { return }
    refused.append(Refusal(name: SymbolName.shown(name), reason: reason))
  }
}

/// The cleaning of names of uploaded files, which are untrusted.
enum SymbolName {
  private static let most = 200
  private static let mostOfPath = 500

  /// A path for messages, without control characters and cut to 500 bytes.
  static func shown(_ path: String) -> String { cut(path[...], mostOfPath) }

  /// The last component of a path, without control characters and cut to 200 bytes between two scalars.
  static func kept(_ path: String) -> String { cut(path.split(separator: "/").last ?? "", most) }

  private static func cut(_ text: Substring, _ most: Int) -> String {
    var name = ""
    for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
      guard name.utf8.count + UTF8.width(scalar) <= most else { break }
      name.unicodeScalars.append(scalar)
    }
    return name
  }
}

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
