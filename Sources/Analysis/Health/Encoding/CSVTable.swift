public import Core

/// A table of an API response for CSV. Columns are defined by paths of JSON members, such as `crash_free.value`, so CSV
/// and JSON have the same numbers.
public struct CSVTable {
  let columns: [String]
  let rows: [JSONOutput]

  public init(columns: [String], rows: [JSONOutput]) {
    self.columns = columns
    self.rows = rows
  }

  /// The table as CSV (RFC 4180): a header line, then one line per row, each ended by CR LF. Unknown values are empty
  /// cells.
  public func csv() -> [UInt8] {
    var bytes: [UInt8] = []
    let paths = columns.map { $0.split(separator: ".").map(String.init) }
    write(paths.map { .string($0.joined(separator: "_")) }, into: &bytes)
    for row in rows { write(paths.map { row.member($0) }, into: &bytes) }
    return bytes
  }

  private func write(_ cells: [JSONOutput], into bytes: inout [UInt8]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      switch cell {
      case .null: break
      case .string(let text): write(text, into: &bytes)
      default: bytes += cell.encoded()
      }
    }
    bytes += [0x0d, 0x0a]
  }

  /// Writes a text cell. Some texts come from devices, and spreadsheets execute text that begins like a formula, so
  /// such text gets a leading apostrophe. Numbers do not pass through here and keep their minus sign.
  private func write(_ text: String, into bytes: inout [UInt8]) {
    let isFormula = text.utf8.first.map(Self.formulaStarts.contains) ?? false
    let guarded = isFormula ? "'" + text : text
    guard guarded.utf8.contains(where: Self.special.contains) else {
      bytes += guarded.utf8
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in guarded.utf8 {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The first characters of formulas: `= + - @`, tab and carriage return (OWASP, CSV injection).
  private static let formulaStarts: Set<UInt8> = [0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d]
  /// The characters that require quotation marks around a cell: `"`, comma, line feed, carriage return.
  private static let special: Set<UInt8> = [0x22, 0x2c, 0x0a, 0x0d]
}

extension JSONOutput {
  /// The value at a path of member names; null if a member is missing.
  func member(_ path: [String]) -> JSONOutput {
    path.reduce(self) { value, name in
      guard case .object(let members) = value else { return .null }
      return members.first { $0.0 == name }?.1 ?? .null
    }
  }
}
