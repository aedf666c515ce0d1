import Core

/// Horizontal grid lines, one at each tick.
struct Grid: Markup {
  var heights: [Double]
  var frame: ChartDimensions

  func write(to html: inout HTMLWriter) {
    var path = Path()
    for y in heights {
      path.move(Point(x: frame.plotLeft, y: y))
      path.line(Point(x: frame.plotRight, y: y))
    }
    if !path.isEmpty { html.leaf("path", .class("grid"), Attribute("d", path.text)) }
  }
}

/// A straight line.
struct Segment: Markup {
  var style: StaticString
  var from: Point
  var to: Point

  func write(to html: inout HTMLWriter) {
    html.leaf(
      "line", .class(style), Attribute("x1", from.x), Attribute("y1", from.y), Attribute("x2", to.x),
      Attribute("y2", to.y))
  }
}

/// Text in a drawing.
struct Label: Markup {
  var text: String
  var point: Point
  var anchor: StaticString
  var style: StaticString?

  /// An upper estimate of a text's width at a font size of 12 units, with 7 units per character.
  static func width(_ text: String) -> Double { 7 * Double(text.unicodeScalars.count) }

  init(_ text: String, at point: Point, anchor: StaticString, _ style: StaticString? = nil) {
    self.text = text
    self.point = point
    self.anchor = anchor
    self.style = style
  }

  func write(to html: inout HTMLWriter) {
    html.element(
      "text", style.map { .class($0) } ?? Attribute("class", nil), Attribute("x", point.x), Attribute("y", point.y),
      Attribute("text-anchor", literal: anchor), text: text)
  }
}

/// The `d` of an SVG path.
struct Path {
  private var bytes: [UInt8] = []

  var text: String { String(decoding: bytes, as: UTF8.self) }
  var isEmpty: Bool { bytes.isEmpty }

  mutating func move(_ point: Point) { append("M", point) }
  mutating func line(_ point: Point) { append("L", point) }
  mutating func close() { bytes.append(UInt8(ascii: "Z")) }

  private mutating func append(_ command: Unicode.Scalar, _ point: Point) {
    bytes.append(UInt8(ascii: command))
    Coordinate.append((point.x * 10).rounded() / 10, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    Coordinate.append((point.y * 10).rounded() / 10, to: &bytes)
  }
}

/// A point in a drawing.
struct Point: Equatable {
  var x: Double
  var y: Double
}
