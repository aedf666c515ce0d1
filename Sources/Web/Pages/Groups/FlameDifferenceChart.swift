import Analysis
import Core
import Storage

/// The drawing of a differential flame graph: a box per function, as wide as its cost in the head, coloured if the
/// difference from the base is not chance.
struct FlameDifferenceChart: Markup {
  var flame: FlameDifference
  /// The address that shows a node at full width; nil in a static export.
  var address: (Int) -> String?

  private let layout: FlameLayout

  /// `focus`: the index of the node to draw at full width; nil for the whole graph. `mostRows`: the maximum number of
  /// levels drawn.
  init(flame: FlameDifference, focus: Int?, address: @escaping (Int) -> String?, mostRows: Int = 80) {
    (self.flame, self.address) = (flame, address)
    layout = FlameLayout(
      roots: focus.map { [$0] } ?? flame.roots, mostRows: mostRows, children: { flame.nodes[$0].children },
      weight: { flame.nodes[$0].head })
  }

  /// The number of levels that are not drawn, and the node to continue from; nil when all levels are drawn.
  var hidden: (levels: Int, node: Int)? { layout.hidden }

  func write(to html: inout HTMLWriter) {
    layout.write("Flame graph of the change, callers above", to: &html) { box, html in
      let function = flame.nodes[box.node]
      let name = ShortenedName.text(function.name)
      FlameLayout.write(
        box, name: name, title: title(function, name), style: .class(Self.style(function)), address: address(box.node),
        to: &html)
    }
  }

  private func title(_ function: FlameDifference.Node, _ name: String) -> String {
    let words = FlameDifferenceWords(unit: flame.unit)
    let difference = words.difference(function.difference)
    return "\(name), \(ShortenedName.text(function.binary)): \(words.number(function.head)) now, "
      + "\(words.number(function.base)) before, \(words.unitText); change \(difference)"
      + (function.isColoured ? "" : ", may be chance or due to other functions")
  }

  /// The class of a box: two shades in each direction, the darker from a change by half.
  private static func style(_ function: FlameDifference.Node) -> StaticString {
    guard function.isColoured else { return "same" }
    if function.isMore { return function.head >= 1.5 * function.base ? "much-more" : "more" }
    return function.base >= 1.5 * function.head ? "much-less" : "less"
  }
}
