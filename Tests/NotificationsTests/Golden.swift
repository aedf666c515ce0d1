import Foundation
import Testing

/// Compares a document with the file that a person has looked at. `RECORD=1 swift test` writes the files anew.
enum Golden {
  static func expect(
    _ text: String, _ name: String, file: String = #filePath, location: SourceLocation = #_sourceLocation
  ) throws {
    let url = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
    if ProcessInfo.processInfo.environment["RECORD"] == "1" {
      try Data(text.utf8).write(to: url)
      return
    }
    let golden = String(decoding: try Data(contentsOf: url), as: UTF8.self)
    guard golden != text else { return }
    let old = golden.split(separator: "\n", omittingEmptySubsequences: false)
    let new = text.split(separator: "\n", omittingEmptySubsequences: false)
    let line = zip(old, new).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(old.count, new.count)
    Issue.record(
      "\(name) differs at line \(line + 1): \(line < new.count ? new[line] : "(ends)")", sourceLocation: location)
  }
}

/// The document as Foundation reads it, indented.
func indented(_ bytes: [UInt8]) throws -> String {
  let value = try JSONSerialization.jsonObject(with: Data(bytes))
  let data = try JSONSerialization.data(
    withJSONObject: value, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  return String(decoding: data, as: UTF8.self) + "\n"
}

/// Every text in a document, with the keys that lead to it.
func texts(_ bytes: [UInt8]) throws -> [(path: String, text: String)] {
  func walk(_ value: Any, _ path: String) -> [(path: String, text: String)] {
    switch value {
    case let text as String: [(path, text)]
    case let list as [Any]: list.flatMap { walk($0, path) }
    case let object as [String: Any]:
      object.sorted { $0.key < $1.key }.flatMap { walk($0.value, path.isEmpty ? $0.key : "\(path).\($0.key)") }
    default: []
    }
  }
  return walk(try JSONSerialization.jsonObject(with: Data(bytes)), "")
}
