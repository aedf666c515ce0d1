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

/// Escapes text for element content and for quoted attribute values alike.
///
/// It works on bytes, never on `Character`: a combining mark after `<` forms one `Character` with it, and a search for
/// "<" would miss it.
enum Escaping {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { source in
      var start = 0
      for index in source.indices {
        let byte = source[index]
        // Nearly every byte of a page is a letter, so one comparison usually decides.
        if byte > UInt8(ascii: ">"), byte != 0x7F { continue }
        guard let replacement = replacement(for: byte) else { continue }
        bytes.append(contentsOf: source[start..<index])
        replacement.withUTF8Buffer { bytes.append(contentsOf: $0) }
        start = index + 1
      }
      bytes.append(contentsOf: source[start...])
    }
  }

  /// The replacement of a byte; nil if it stays. Control characters have no meaning in a page, and browsers treat NUL
  /// differently.
  private static func replacement(for byte: UInt8) -> StaticString? {
    switch byte {
    case UInt8(ascii: "&"): "&amp;"
    case UInt8(ascii: "<"): "&lt;"
    case UInt8(ascii: ">"): "&gt;"
    case UInt8(ascii: "\""): "&quot;"
    case UInt8(ascii: "'"): "&#39;"
    case 0x09, 0x0A, 0x0D: nil
    case 0..<0x20, 0x7F: "\u{FFFD}"
    default: nil
    }
  }
}

/// Formats numbers of a drawing with at most two decimals, finer than a screen shows.
public enum Coordinate {
  /// Appends `value`, rounded to hundredths. NaN is written as 0; values beyond a billion are capped.
  public static func append(_ value: Double, to bytes: inout [UInt8]) {
    let limit = 1e9
    let finite = value.isNaN ? 0 : min(limit, max(-limit, value))
    var hundredths = Int((finite * 100).rounded())
    if hundredths < 0 {
      bytes.append(UInt8(ascii: "-"))
      hundredths = -hundredths
    }
    append(digits: hundredths / 100, to: &bytes)
    let fraction = hundredths % 100
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    bytes.append(UInt8(ascii: "0") + UInt8(fraction / 10))
    if fraction % 10 > 0 { bytes.append(UInt8(ascii: "0") + UInt8(fraction % 10)) }
  }

  private static func append(digits value: Int, to bytes: inout [UInt8]) {
    if value >= 10 { append(digits: value / 10, to: &bytes) }
    bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}

/// A component of a page, which writes itself as HTML or SVG.
public protocol Markup {
  /// Appends the component to `html`.
  func write(to html: inout HTMLWriter)
}
