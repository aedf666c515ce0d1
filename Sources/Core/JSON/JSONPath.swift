extension JSONValue {
  /// The key path of the value in its document, such as `sessions[2].status`; empty for the document itself.
  ///
  /// The search starts at the root and takes time in proportion to the document. Use it for errors only.
  public var path: String {
    var path = ""
    var container = sibling(at: 1)
    while container.index < index, path.utf8.count < JSONPath.longest {
      guard let step = container.step(towards: index) else { break }
      path = step.path(path)
      container = step.value
    }
    return path
  }

  private struct Step {
    let value: JSONValue
    let path: (String) -> String
  }

  /// The member or element of this container with the tape's word at `target`; nil when there is none.
  private func step(towards target: Int) -> Step? {
    switch tag {
    case Tag.object:
      for (key, value) in JSONObject(value: self) where value.end > target {
        return Step(value: value) { JSONPath.member(key.string, of: $0) }
      }
    case Tag.array:
      for (position, value) in JSONArray(value: self).enumerated() where value.end > target {
        return Step(value: value) { "\($0)[\(position)]" }
      }
    default: break
    }
    return nil
  }
}

/// The notation of key paths: plain names with dots, other keys as `["a key"]`, elements as `[2]`.
public enum JSONPath {
  /// The length in bytes from which a path is not extended.
  static let longest = 400

  /// The maximum number of characters of a key in a path; longer keys are cut.
  static let longestKey = 80

  /// The path of a member: `parent.key`, or `parent["a key"]` when the key is not a plain name.
  public static func member(_ key: String, of parent: String) -> String {
    guard isName(key) else { return "\(parent)[\(quoted(key))]" }
    return parent.isEmpty ? key : "\(parent).\(key)"
  }

  /// Joins the path of a part and the path of a value inside it.
  public static func join(_ outer: String, _ inner: String) -> String {
    if outer.isEmpty || inner.isEmpty { return outer + inner }
    return inner.utf8.first == UInt8(ascii: "[") ? outer + inner : "\(outer).\(inner)"
  }

  /// The text in quotes, cut to `longestKey` characters and with control characters escaped, for error messages.
  public static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars.prefix(longestKey) {
      quoted += scalar.escaped(asASCII: false)
    }
    return quoted + (text.unicodeScalars.dropFirst(longestKey).isEmpty ? "\"" : "…\"")
  }

  private static func isName(_ key: String) -> Bool {
    guard let first = key.utf8.first, key.utf8.count <= longestKey else { return false }
    return !isDigit(first) && key.utf8.allSatisfy { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
}
