import Core

// JSON documents can be written as Swift literals.

extension JSONOutput {
  /// The document as UTF-8. Line feeds in texts are escaped as `\n`.
  var bytes: [UInt8] { encoded(shortLineEnds: true) }

  /// A string; nil for nil, which omits the member from an object literal.
  static func ifPresent(_ text: String?) -> JSONOutput? { text.map(JSONOutput.string) }

  /// An object with its members sorted by name, so that equal documents have equal bytes, which signatures and tests
  /// compare.
  static func object(sorting members: [String: JSONOutput]) -> JSONOutput {
    .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}

extension JSONOutput: ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
  init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Members are sorted by name. Members with the value nil are omitted.
  init(dictionaryLiteral elements: (String, JSONOutput?)...) {
    var members: [String: JSONOutput] = [:]
    for (name, value) in elements { members[name] = value }
    self = .object(sorting: members)
  }
}
