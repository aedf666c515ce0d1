internal import Core
internal import Storage
internal import Foundation
package import Yams

/// Reads the options of a YAML mapping one by one. Options left at the end are unknown. Errors never quote the value of
/// an option that may be a secret.
package struct OptionReader {
  package private(set) var problems: [(mark: Mark?, message: String)] = []
  private let owner: String
  private let mark: Mark?
  private var values: [(name: String, key: Node, value: Node)] = []
  private var known: [String] = []

  package init(_ node: Node, of owner: String) {
    self.owner = owner
    mark = node.mark
    guard case .mapping(let mapping) = node else {
      problems.append((node.mark, "expected the options of \(owner), found \(quoted(node))"))
      return
    }
    values = mapping.map { ($0.key.string ?? "", $0.key, $0.value) }
  }

  package mutating func node(_ name: String) -> Node? {
    known.append(name)
    guard let index = values.firstIndex(where: { $0.name == name }) else { return nil }
    return values.remove(at: index).value
  }

  package mutating func text(_ name: String) -> String? {
    guard let node = node(name) else { return nil }
    if let text = node.scalar?.string, !text.isEmpty { return text }
    problem(node, "expected a string for \(name), found \(quoted(node))")
    return nil
  }

  /// The texts of an option with one text or a list of texts; nil if the option is missing or invalid.
  package mutating func texts(_ name: String) -> [String]? {
    guard let node = node(name) else { return nil }
    let texts = (node.sequence.map(Array.init) ?? [node]).map { $0.scalar?.string ?? "" }
    if !texts.isEmpty, texts.allSatisfy({ !$0.isEmpty }) { return texts }
    problem(node, "expected a string or a list of strings for \(name), found \(quoted(node))")
    return nil
  }

  package mutating func flag(_ name: String) -> Bool? {
    guard let node = node(name) else { return nil }
    switch node.scalar?.string {
    case "true": return true
    case "false": return false
    default:
      problem(node, "expected true or false for \(name), found \(quoted(node))")
      return nil
    }
  }

  package mutating func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, _: Value.Type) -> Value?
  {
    choice(name, among: Value.allCases.map(\.rawValue)).flatMap(Value.init)
  }

  /// The value of an option with one of `choices`; nil if the option is missing or invalid.
  package mutating func choice(_ name: String, among choices: [String]) -> String? {
    guard let node = node(name) else { return nil }
    if let text = node.scalar?.string, choices.contains(text) { return text }
    problem(node, "expected one of \(choices.joined(separator: ", ")) for \(name), found \(quoted(node))")
    return nil
  }

  mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let node = node(name) else { return nil }
    if let value = node.scalar.flatMap({ Int($0.string) }), range.contains(value) { return value }
    problem(
      node, "expected a number from \(range.lowerBound) to \(range.upperBound) for \(name), found \(quoted(node))")
    return nil
  }

  /// The value of an option such as `10 s`, `5 min`, `12 h` or `30 d`, in seconds; nil if the option is missing or
  /// invalid.
  mutating func duration(_ name: String, in range: ClosedRange<Double>) -> Double? {
    guard let node = node(name) else { return nil }
    let units = ["s": 1.0, "min": 60, "h": 3600, "d": 86400]
    let words = (node.scalar?.string ?? "").split(separator: " ")
    if words.count == 2, let count = Double(words[0]), let unit = units[String(words[1])], range.contains(count * unit)
    {
      return count * unit
    }
    problem(
      node,
      "expected a duration such as 10 s, 5 min, 12 h or 30 d, from \(Int(range.lowerBound)) to "
        + "\(Int(range.upperBound)) seconds, for \(name), found \(quoted(node))")
    return nil
  }

  /// The members of an option with a mapping of names to texts; nil if the option is missing or invalid.
  mutating func table(_ name: String) -> [String: String]? {
    guard let node = node(name) else { return nil }
    if case .mapping(let mapping) = node {
      let pairs = mapping.compactMap { pair in
        pair.key.string.flatMap { key in pair.value.scalar.map { (key, $0.string) } }
      }
      if pairs.count == mapping.count { return Dictionary(pairs) { first, _ in first } }
    }
    problem(node, "expected a mapping of names to strings for \(name), found \(quoted(node))")
    return nil
  }

  /// The location of a secret: `{ env: NAME }`, `{ file: PATH }` or `{ credential: NAME }`. Any other value may be the
  /// secret itself, so the error does not quote it.
  package mutating func secret(_ name: String) -> SecretSource? {
    guard let node = node(name) else { return nil }
    if case .mapping(let mapping) = node { return source(mapping, name, node) }
    problem(
      node, "\(name) is a secret: expected { env: NAME }, { file: PATH } or { credential: NAME }, not the secret itself"
    )
    return nil
  }

  /// An address: a text or the location of a secret. If `isSecret`, only the location is allowed.
  mutating func address(_ name: String, isSecret: Bool) -> Channel.Address? {
    if !isSecret, let node = values.first(where: { $0.name == name })?.value, let text = node.scalar?.string {
      _ = self.node(name)
      return .plain(text)
    }
    return secret(name).map(Channel.Address.secret)
  }

  private mutating func source(_ mapping: Node.Mapping, _ name: String, _ node: Node) -> SecretSource? {
    if mapping.count == 1, let (key, value) = mapping.first.map({ ($0.key.string, $0.value.scalar?.string) }),
      let value, !value.isEmpty
    {
      if key == "env", value.utf8.allSatisfy(Self.isVariable) { return .environment(value) }
      if key == "file", value.hasPrefix("/") { return .file(value) }
      if key == "credential", !value.hasPrefix("."), !value.utf8.contains(UInt8(ascii: "/")) {
        return .credential(value)
      }
    }
    problem(node, "expected { env: NAME }, { file: /PATH } or { credential: NAME } for \(name)")
    return nil
  }

  private static func isVariable(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  package mutating func missing(_ name: String) { problems.append((mark, "\(owner) needs \(name)")) }

  package mutating func problem(_ node: Node?, _ message: String) { problems.append((node?.mark ?? mark, message)) }

  /// Reports every unread option as unknown.
  package mutating func finish() {
    for (_, key, _) in values {
      problem(key, "unknown option \(quoted(key)). The options of \(owner) are \(known.joined(separator: ", "))")
    }
    values = []
  }
}

/// A description of a YAML node for error messages.
func quoted(_ node: Node) -> String {
  switch node {
  case .scalar(let scalar): scalar.string.isEmpty ? "nothing" : "\"\(scalar.string.oneLine.cut(60))\""
  case .mapping: "keys and values"
  case .sequence: "a list"
  case .alias: "an alias"
  }
}
