/// A path with placeholders: `apps/{app}/metrics/{metric}`.
public struct PathPattern: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  private enum Part: Sendable, Hashable {
    case literal(String)
    case placeholder
  }

  private let parts: [Part]
  public let description: String

  public init(stringLiteral text: String) {
    description = text
    parts = text.split(separator: "/").map { $0.hasPrefix("{") ? .placeholder : .literal(String($0)) }
  }

  /// The number of placeholders in the pattern.
  public var placeholders: Int { parts.count { $0 == .placeholder } }

  /// The values of the placeholders; nil if the path does not match. `segments`: the decoded segments of the path.
  public func arguments(of segments: some Collection<String>) -> [String]? {
    guard segments.count == parts.count else { return nil }
    var arguments: [String] = []
    for (part, segment) in zip(parts, segments) {
      switch part {
      case .literal(let text): guard text == segment else { return nil }
      case .placeholder: arguments.append(segment)
      }
    }
    return arguments
  }

  /// The values of the placeholders, none of them empty; nil unless the whole of `path` matches. `allowsSlash`: whether
  /// it may end with a slash. Allocates nothing for a path that does not match.
  public func arguments(ofPath path: String, allowsSlash: Bool) -> [String]? {
    var rest = path.utf8[...]
    var arguments: [String] = []
    for part in parts {
      guard rest.popFirst() == UInt8(ascii: "/") else { return nil }
      let segment = rest.prefix { $0 != UInt8(ascii: "/") }
      switch part {
      case .literal(let text): guard segment.elementsEqual(text.utf8) else { return nil }
      case .placeholder:
        guard !segment.isEmpty else { return nil }
        arguments.append(String(Substring(segment)))
      }
      rest = rest[segment.endIndex...]
    }
    return rest.isEmpty || allowsSlash && rest.elementsEqual("/".utf8) ? arguments : nil
  }

  /// The path with `arguments` in place of its placeholders, each encoded. Surplus arguments are ignored.
  func filled(_ arguments: [String], _ encode: (String) -> String) -> String {
    var rest = arguments[...]
    return parts.map { part in
      switch part {
      case .literal(let text): text
      case .placeholder: encode(rest.popFirst() ?? "")
      }
    }.joined(separator: "/")
  }
}
