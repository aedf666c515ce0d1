internal import Foundation

/// A JSON document as a value. Keys are written in the order of their letters, so that equal values are equal bytes.
enum JSONValue: Sendable, Equatable {
  case text(String)
  case number(Double)
  case integer(Int)
  case flag(Bool)
  case list([JSONValue])
  case object([String: JSONValue])

  /// `text`, or nothing.
  static func optional(_ text: String?) -> JSONValue? { text.map(JSONValue.text) }

  /// The document as UTF-8.
  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Only a number that is not finite could fail, and no format writes one.
    return (try? encoder.encode(self)).map(Array.init) ?? Array("null".utf8)
  }
}

extension JSONValue: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .flag(let value): try container.encode(value)
    case .list(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(booleanLiteral value: Bool) { self = .flag(value) }
  init(integerLiteral value: Int) { self = .integer(value) }
  init(arrayLiteral elements: JSONValue...) { self = .list(elements) }

  /// A key whose value is nil is left out.
  init(dictionaryLiteral elements: (String, JSONValue?)...) {
    var values: [String: JSONValue] = [:]
    for (key, value) in elements { values[key] = value }
    self = .object(values)
  }
}
