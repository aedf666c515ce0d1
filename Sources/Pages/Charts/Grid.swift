import HTML

/// Lines across a drawing, one at each tick.
struct Grid: Markup {
  var heights: [Double]
  var frame: ChartFrame

  func write(to html: inout HTMLWriter) {
    var path = Path()
    for y in heights {
      path.move(Point(x: frame.plotLeft, y: y))
      path.line(Point(x: frame.plotRight, y: y))
    }
    if !path.isEmpty { html.leaf("path", .class("grid"), Attribute("d", path.text)) }
  }
}
