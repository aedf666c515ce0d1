import Foundation
import Testing
import TestSupport

extension Golden {
  /// Compares a document with a file of `Golden`.
  static func expect(_ text: String, _ name: String, location: SourceLocation = #_sourceLocation) throws {
    let difference = try difference(text.utf8, from: "Tests/NotificationsTests/Golden/\(name)")
    #expect(difference == nil, sourceLocation: location)
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
