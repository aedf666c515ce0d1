import Foundation
import Testing

/// Compares markup with the file that a person has looked at. `RECORD=1 swift test` writes the files anew.
enum Golden {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

  static func expect(_ page: [UInt8], _ name: String, location: SourceLocation = #_sourceLocation) throws {
    let url = folder.appendingPathComponent("\(name).html")
    let lines = Data(broken(page))
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try lines.write(to: url)
      return
    }
    let golden = try Data(contentsOf: url)
    guard golden != lines else { return }
    let old = String(decoding: golden, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let new = String(decoding: lines, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
    Issue.record(
      "\(name).html differs at line \(line + 1): \(line < new.count ? new[line] : "(ends)")", sourceLocation: location)
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
