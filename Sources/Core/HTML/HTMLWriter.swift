/// Writes HTML and SVG as UTF-8.
///
///     var html = HTMLWriter()
///     html.element("p", .class("note")) { html in
///       html.text("Release ")
///       html.element("bdi", text: release)
///     }
///
/// Tags and attribute names are `StaticString`, text and values are always escaped, so that text from a device cannot
/// become markup.
public struct HTMLWriter: Sendable {
  /// The markup written so far, as UTF-8.
  public private(set) var bytes: [UInt8] = []

  /// Starts empty, with memory for `capacity` bytes.
  public init(capacity: Int = 32 * 1024) { bytes.reserveCapacity(capacity) }

  /// An element with content.
  public mutating func element(
    _ name: StaticString, _ attributes: Attribute..., content: (inout HTMLWriter) -> Void
  ) {
    open(name, attributes)
    content(&self)
    close(name)
  }

  /// Writes an element that contains only text.
  public mutating func element(_ name: StaticString, _ attributes: Attribute..., text: String) {
    open(name, attributes)
    self.text(text)
    close(name)
  }

  /// Writes an element without content, such as `<meta/>` or `<rect/>`.
  public mutating func leaf(_ name: StaticString, _ attributes: Attribute...) {
    openTag(name, attributes)
    literal("/>")
  }

  /// Writes text, escaped.
  public mutating func text(_ text: String) { Escaping.append(text, to: &bytes) }

  /// Writes markup that is a constant of the program, unescaped.
  public mutating func literal(_ markup: StaticString) {
    guard markup.hasPointerRepresentation else { return markup.withUTF8Buffer { bytes.append(contentsOf: $0) } }
    bytes.append(contentsOf: UnsafeBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount))
  }

  /// Writes a component.
  public mutating func write(_ markup: some Markup) { markup.write(to: &self) }

  private mutating func open(_ name: StaticString, _ attributes: [Attribute]) {
    openTag(name, attributes)
    bytes.append(UInt8(ascii: ">"))
  }

  private mutating func close(_ name: StaticString) {
    bytes.append(UInt8(ascii: "<"))
    bytes.append(UInt8(ascii: "/"))
    literal(name)
    bytes.append(UInt8(ascii: ">"))
  }

  private mutating func openTag(_ name: StaticString, _ attributes: [Attribute]) {
    bytes.append(UInt8(ascii: "<"))
    literal(name)
    for attribute in attributes { write(attribute) }
  }

  private mutating func write(_ attribute: Attribute) {
    if case .absent = attribute.value { return }
    bytes.append(UInt8(ascii: " "))
    literal(attribute.name)
    if case .flag = attribute.value { return }
    literal("=\"")
    switch attribute.value {
    case .absent, .flag: break
    case .literal(let value): literal(value)
    case .literals(let first, let second):
      literal(first)
      bytes.append(UInt8(ascii: " "))
      literal(second)
    case .text(let value): text(value)
    case .number(let value): Coordinate.append(value, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
