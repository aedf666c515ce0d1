internal import Foundation
internal import Telemetry

/// The small file beside each file of symbols: what its list shows, and what must be known before it is opened.
struct SideFile: Codable {
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

  static func decode(_ bytes: [UInt8]) -> SideFile? { try? JSONDecoder().decode(Self.self, from: Data(bytes)) }
}
