import Analysis
import Core
import Storage

/// The drawing of a flame graph: a box per function, as wide as its number of samples, below its caller.
struct FlameChart: Markup {
  var flame: FlameGraph
  /// The index of the node to draw at full width; nil for the whole graph.
  var focus: Int?
  /// The address that shows a node at full width; nil in a static export.
  var address: (Int) -> String?
  /// The maximum number of levels drawn.
  var mostRows = 80

  private static let width = 1200.0
  private static let row = 22.0
  /// The minimum width of a box, in units of the drawing. Narrower boxes are omitted, which leaves a gap below their
  /// callers.
  private static let least = 1.5
  /// The width of a monospaced letter, in units of the drawing.
  private static let letter = 7.3

  private struct Box {
    var node: Int
    var x: Double
    var width: Double
    var row: Int
  }

  /// The number of levels that are not drawn because the graph is deeper than `mostRows`, and the widest node on the
  /// last drawn row that continues below it; nil when all levels are drawn.
  var hidden: (levels: Int, node: Int)? {
    let ends = boxes().filter { $0.row == mostRows - 1 && !flame.nodes[$0.node].children.isEmpty }
    guard let end = ends.max(by: { ($0.width, $1.node) < ($1.width, $0.node) }) else { return nil }
    return (ends.map { levels(below: $0.node) }.max() ?? 0, end.node)
  }

  private func levels(below node: Int) -> Int {
    var deepest = 0
    var open = [(node: node, level: 0)]
    while let (node, level) = open.popLast() {
      deepest = max(deepest, level)
      for child in flame.nodes[node].children { open.append((child, level + 1)) }
    }
    return deepest
  }

  func write(to html: inout HTMLWriter) {
    let boxes = boxes()
    let height = Double((boxes.map(\.row).max() ?? 0) + 1) * Self.row
    html.element(
      "svg", .class("flame"), Attribute("viewBox", "0 0 1200 \(Int(height))"), Attribute("role", literal: "group"),
      Attribute("aria-label", literal: "Flame graph, callers above")
    ) { html in
      for box in boxes { link(box, &html) }
    }
  }

  private func boxes() -> [Box] {
    let roots = focus.map { [$0] } ?? flame.roots
    let whole = roots.reduce(0) { $0.addingSaturated(flame.nodes[$1].samples) }
    let scale = Self.width / Double(max(1, whole))
    var boxes: [Box] = []
    var open: [Box] = []
    var x = 0.0
    for root in roots {
      let width = Double(flame.nodes[root].samples) * scale
      open.append(Box(node: root, x: x, width: width, row: 0))
      x += width
    }
    while let box = open.popLast() {
      guard box.width >= Self.least, box.row < mostRows else { continue }
      boxes.append(box)
      var x = box.x
      for child in flame.nodes[box.node].children {
        let width = Double(flame.nodes[child].samples) * scale
        open.append(Box(node: child, x: x, width: min(width, box.x + box.width - x), row: box.row + 1))
        x += width
      }
    }
    return boxes
  }

  private func link(_ box: Box, _ html: inout HTMLWriter) {
    guard let address = address(box.node) else { return draw(box, &html) }
    html.element("a", .href(address)) { draw(box, &$0) }
  }

  private func draw(_ box: Box, _ html: inout HTMLWriter) {
    let function = flame.nodes[box.node]
    let share = Quantity.text(Double(function.samples) / Double(max(1, flame.samples)), .ratio)
    let samples = Decimal.grouped(function.samples)
    let title =
      "\(SanitizedName.text(function.name)), \(SanitizedName.text(function.binary)): \(samples) samples, \(share)"
    let origin: StaticString = function.isOwn ? "own" : "other"
    html.element("g", function.isHeaviest ? .class("heavy", origin) : .class(origin)) { html in
      html.element("title", text: title)
      html.leaf(
        "rect", Attribute("x", box.x), Attribute("y", Double(box.row) * Self.row),
        Attribute("width", max(0.5, box.width - 1)),
        Attribute("height", Self.row - 2), Attribute("rx", 2))
      let letters = Int((box.width - 8) / Self.letter)
      guard letters > 2 else { return }
      html.element(
        "text", Attribute("x", box.x + 4), Attribute("y", Double(box.row) * Self.row + 14.5),
        text: Self.cut(SanitizedName.text(function.name), letters))
    }
  }

  private static func cut(_ text: String, _ letters: Int) -> String {
    guard text.unicodeScalars.count > letters else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(letters - 1))) + "…"
  }
}
