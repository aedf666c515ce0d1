extension JSONValue {
  /// Where the value stands in its document: `sessions[2].status`; empty for the document itself.
  ///
  /// Found by walking down from the root, so it takes time in proportion to the document: meant for errors.
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

  /// The member or element of this container in which the word at `target` lies.
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

/// How key paths are written: names with dots, other keys as `["a key"]`, elements as `[2]`.
public enum JSONPath {
  /// A path is cut when it has grown to this many bytes.
  static let longest = 400

  /// A key is cut behind this many characters.
  static let longestKey = 80

  /// `parent.key`, or `parent["a key"]` when the key is no plain name.
  public static func member(_ key: String, of parent: String) -> String {
    guard isName(key) else { return "\(parent)[\(quoted(key))]" }
    return parent.isEmpty ? key : "\(parent).\(key)"
  }

  /// The path of a value inside a part of a larger text.
  public static func join(_ outer: String, _ inner: String) -> String {
    if outer.isEmpty || inner.isEmpty { return outer + inner }
    return inner.utf8.first == UInt8(ascii: "[") ? outer + inner : "\(outer).\(inner)"
  }

  /// The text in quotes, cut, without control characters: fit to be shown.
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
