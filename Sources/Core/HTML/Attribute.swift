/// One attribute of an element. The name is written in the program; the value is escaped.
public struct Attribute: Sendable {
  let name: StaticString
  let value: Value

  enum Value: Sendable {
    case absent
    case flag
    case literal(StaticString)
    case literals(StaticString, StaticString)
    case text(String)
    case number(Double)
  }

  private init(name: StaticString, value: Value) {
    self.name = name
    self.value = value
  }

  /// An attribute whose value is escaped; nil omits the attribute.
  public init(_ name: StaticString, _ value: String?) {
    self.init(name: name, value: value.map(Value.text) ?? .absent)
  }

  /// An attribute whose value is a constant of the program.
  public init(_ name: StaticString, literal value: StaticString) { self.init(name: name, value: .literal(value)) }

  /// A coordinate or length, written with at most two decimals; NaN is written as 0.
  public init(_ name: StaticString, _ value: Double) { self.init(name: name, value: .number(value)) }

  /// An attribute without a value, such as `open` or `required`.
  public static func flag(_ name: StaticString) -> Self { Self(name: name, value: .flag) }

  /// The attribute `class` with one class: `class="card"`.
  public static func `class`(_ name: StaticString) -> Self { Self(name: "class", value: .literal(name)) }

  /// The attribute `class` with two classes: `class="badge broken"`.
  public static func `class`(_ first: StaticString, _ second: StaticString) -> Self {
    Self(name: "class", value: .literals(first, second))
  }

  /// The attribute `href`. The caller must percent-encode the address.
  public static func href(_ address: String) -> Self { Self("href", address) }

  /// The text shown on hover; nil leaves it out.
  public static func title(_ text: String?) -> Self { Self("title", text) }
}
