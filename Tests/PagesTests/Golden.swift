import Testing
import TestSupport

extension Golden {
  /// Compares markup with a file of `Golden`.
  static func expect(_ page: [UInt8], _ name: String, location: SourceLocation = #_sourceLocation) throws {
    let difference = try difference(broken(page), from: "Tests/PagesTests/Golden/\(name).html")
    #expect(difference == nil, sourceLocation: location)
  }

  /// A line for each closing tag, so that a difference can be read.
  private static func broken(_ page: [UInt8]) -> [UInt8] {
    var lines: [UInt8] = []
    var isClosing = false
    for (index, byte) in page.enumerated() {
      lines.append(byte)
      if byte == UInt8(ascii: "<") { isClosing = index + 1 < page.count && page[index + 1] == UInt8(ascii: "/") }
      if byte == UInt8(ascii: "/") { isClosing = true }
      if byte == UInt8(ascii: ">"), isClosing { lines.append(UInt8(ascii: "\n")) }
    }
    return lines
  }
}
