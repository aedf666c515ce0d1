/// Restricts an app's data to one value of an attribute, or to all other values of it. Data without a value belong to
/// neither.
public struct AttributeFilter: Hashable, Sendable {
  public let name: String
  public let value: String
  /// Whether the filter excludes `value` instead of selecting it.
  public let isExcluding: Bool

  public init(name: String, value: String, isExcluding: Bool = false) {
    self.name = name
    self.value = value
    self.isExcluding = isExcluding
  }

  /// Parses `experiment=new-cart` or `region!=DE`, with or without spaces around the sign; nil for any other text.
  public init?(_ text: String) {
    // Split by scalars: a combining mark after the sign belongs to the value.
    let scalars = text.unicodeScalars
    guard let sign = scalars.firstIndex(of: "="), sign != scalars.startIndex else { return nil }
    let isExcluding = scalars[scalars.index(before: sign)] == "!"
    let end = isExcluding ? scalars.index(before: sign) : sign
    let name = String(scalars[..<end]).split(separator: " ")
    // Cleaned and cut like received values.
    let value = String(scalars[scalars.index(after: sign)...])
    guard name.count == 1, let meant = AppAttribute(name: String(name[0]), value: value) else { return nil }
    self.init(name: meant.name, value: meant.value, isExcluding: isExcluding)
  }

  /// The text that `init(_:)` parses: `experiment=new-cart`, `region!=DE`.
  public var text: String { name + (isExcluding ? "!=" : "=") + value }

  /// The filter as headings show it: `new-cart`, `all but DE`.
  public var title: String { isExcluding ? "all but \(value)" : value }

  /// The opposite filter: it selects what this one excludes, and the reverse.
  public var inverted: AttributeFilter { AttributeFilter(name: name, value: value, isExcluding: !isExcluding) }
}
