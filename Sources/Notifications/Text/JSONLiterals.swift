internal import JSON

// Bodies of requests, written in Swift as they look in JSON.

extension JSONNode {
  /// The document as UTF-8. Line ends are written `\n`.
  var bytes: [UInt8] { encoded(shortLineEnds: true) }

  /// `text`, or nil, which leaves the member out of an object literal.
  static func ifPresent(_ text: String?) -> JSONNode? { text.map(JSONNode.string) }

  /// An object whose members are sorted by name, so that equal bodies are equal bytes, which signatures and tests
  /// compare.
  static func object(sorting members: [String: JSONNode]) -> JSONNode {
    .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }
}

extension JSONNode: ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral elements: JSONNode...) { self = .array(elements) }

  /// Members are sorted by name; one whose value is nil is left out.
  init(dictionaryLiteral elements: (String, JSONNode?)...) {
    var members: [String: JSONNode] = [:]
    for (name, value) in elements { members[name] = value }
    self = .object(sorting: members)
  }
}
