import Foundation
import TestSupport

/// Parsed JSON, read by an implementation that is not Plumb's. What is not there is `nothing`.
struct JSON {
  private let value: Any?

  init(_ text: String) throws {
    value = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
  }

  private init(value: Any?) { self.value = value }

  subscript(_ key: String) -> JSON { JSON(value: (value as? [String: Any])?[key]) }
  subscript(_ index: Int) -> JSON { JSON(value: list.indices.contains(index) ? (value as? [Any])?[index] : nil) }

  var text: String? { value as? String }
  var number: Double? { (value as? NSNumber)?.doubleValue }
  var integer: Int? { number.flatMap { Int(exactly: $0) } }
  var isNull: Bool { value is NSNull }
  var keys: Set<String> { Set((value as? [String: Any] ?? [:]).keys) }
  var list: [JSON] { (value as? [Any] ?? []).map { JSON(value: $0) } }

  /// The names and types of its values, without what they say.
  var shape: String {
    if let members = value as? [String: Any] {
      return "{" + members.keys.sorted().map { "\($0): \(self[$0].shape)" }.joined(separator: ", ") + "}"
    }
    if value is [Any] { return "[\(self[0].shape)]" }
    return isNull ? "null" : text == nil ? "number" : "text"
  }

  /// The metric of that name in a report.
  func metric(_ name: String) -> JSON { self["metrics"].list.first { $0["name"].text == name } ?? JSON(value: nil) }
}
