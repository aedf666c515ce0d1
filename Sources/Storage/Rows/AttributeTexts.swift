public import Core

/// Values of attributes as two texts: the names and the values in the same order, each separated by a control character
/// that no name or value contains. One attribute is its own name and value; none is two empty texts.
public struct AttributeTexts: Hashable, Sendable {
  public let names: String
  public let values: String

  /// The control character between names and between values.
  public static let separator: Character = "\u{1F}"

  public init(_ attributes: [AppAttribute]) {
    let separator = String(Self.separator)
    names = attributes.map(\.name).joined(separator: separator)
    values = attributes.map(\.value).joined(separator: separator)
  }

  public init(names: String, values: String) {
    (self.names, self.values) = (names, values)
  }

  /// The attributes of the texts, sorted by name.
  public var attributes: [AppAttribute] {
    // Fast path: most data have no attribute.
    if names.isEmpty { return [] }
    func parts(_ text: String) -> [String] {
      text.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
    }
    return Self.attributes(names: parts(names)[...], values: parts(values)[...])
  }

  static func attributes(names: ArraySlice<String>, values: ArraySlice<String>) -> [AppAttribute] {
    zip(names, values).compactMap { AppAttribute(name: $0, value: $1) }.sorted { $0.name < $1.name }
  }
}
