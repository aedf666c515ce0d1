import Analysis
import Core
import Storage

/// The drawing of a flame graph: a box per function, as wide as its number of samples, below its caller.
struct FlameChart: Markup {
  var flame: FlameGraph
  /// The address that shows a node at full width; nil in a static export.
  var address: (Int) -> String?

  private let layout: FlameLayout

  /// `focus`: the index of the node to draw at full width; nil for the whole graph. `mostRows`: the maximum number of
  /// levels drawn.
  init(flame: FlameGraph, focus: Int?, address: @escaping (Int) -> String?, mostRows: Int = 80) {
    (self.flame, self.address) = (flame, address)
    layout = FlameLayout(
      roots: focus.map { [$0] } ?? flame.roots, mostRows: mostRows, children: { flame.nodes[$0].children },
      weight: { Double(flame.nodes[$0].samples) })
  }

  /// The number of levels that are not drawn, and the node to continue from; nil when all levels are drawn.
  var hidden: (levels: Int, node: Int)? { layout.hidden }

  func write(to html: inout HTMLWriter) {
    layout.write("Flame graph, callers above", to: &html) { box, html in
      let function = flame.nodes[box.node]
      let share = Quantity.text(Double(function.samples) / Double(max(1, flame.samples)), .ratio)
      let name = ShortenedName.text(function.name)
      let origin: StaticString = function.isOwn ? "own" : "other"
      FlameLayout.write(
        box, name: name,
        title:
          "\(name), \(ShortenedName.text(function.binary)): \(Decimal.grouped(function.samples)) samples, \(share)",
        style: function.isHeaviest ? .class("heavy", origin) : .class(origin), address: address(box.node), to: &html)
    }
  }
}
