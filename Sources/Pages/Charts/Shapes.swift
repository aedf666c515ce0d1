import HTML

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

/// A word in a drawing.
struct Label: Markup {
  var text: String
  var point: Point
  var anchor: StaticString
  var style: StaticString?

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
