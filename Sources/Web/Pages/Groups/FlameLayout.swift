import Core

/// The boxes of a flame graph: one per function, as wide as its weight, below its caller.
struct FlameLayout {
  struct Box {
    var node: Int
    var x: Double
    var width: Double
    var row: Int
  }

  let boxes: [Box]
  private let mostRows: Int
  private let children: (Int) -> [Int]

  static let width = 1200.0
  static let row = 22.0
  /// The minimum width of a box, in units of the drawing. Narrower boxes are omitted, which leaves a gap below their
  /// callers.
  private static let least = 1.5
  /// The width of a monospaced letter, in units of the drawing.
  private static let letter = 7.3

  /// Places the nodes below `roots`, which together are as wide as the drawing. `mostRows`: the maximum number of
  /// levels.
  init(
    roots: [Int], mostRows: Int, children: @escaping (Int) -> [Int], weight: (Int) -> Double
  ) {
    (self.mostRows, self.children) = (mostRows, children)
    let whole = roots.reduce(0) { $0 + weight($1) }
    let scale = whole > 0 ? Self.width / whole : 0
    var boxes: [Box] = []
    var open: [Box] = []
    var x = 0.0
    for root in roots {
      let width = weight(root) * scale
      open.append(Box(node: root, x: x, width: width, row: 0))
      x += width
    }
    while let box = open.popLast() {
      guard box.width >= Self.least, box.row < mostRows else { continue }
      boxes.append(box)
      var x = box.x
      for child in children(box.node) {
        let width = weight(child) * scale
        open.append(Box(node: child, x: x, width: min(width, box.x + box.width - x), row: box.row + 1))
        x += width
      }
    }
    self.boxes = boxes
  }

  /// The number of levels that are not drawn because the graph is deeper than `mostRows`, and the widest node on the
  /// last drawn row that continues below it; nil when all levels are drawn.
  var hidden: (levels: Int, node: Int)? {
    let ends = boxes.filter { $0.row == mostRows - 1 && !children($0.node).isEmpty }
    guard let end = ends.max(by: { ($0.width, $1.node) < ($1.width, $0.node) }) else { return nil }
    return (ends.map { levels(below: $0.node) }.max() ?? 0, end.node)
  }

  private func levels(below node: Int) -> Int {
    var deepest = 0
    var open = [(node: node, level: 0)]
    while let (node, level) = open.popLast() {
      deepest = max(deepest, level)
      for child in children(node) { open.append((child, level + 1)) }
    }
    return deepest
  }

  /// Writes the drawing. `label`: what it is, for screen readers. `draw`: writes the content of a box.
  func write(_ label: StaticString, to html: inout HTMLWriter, draw: (Box, inout HTMLWriter) -> Void) {
    let height = Double((boxes.map(\.row).max() ?? 0) + 1) * Self.row
    html.element(
      "svg", .class("flame"), Attribute("viewBox", "0 0 1200 \(Int(height))"), Attribute("role", literal: "group"),
      Attribute("aria-label", literal: label)
    ) { html in
      for box in boxes { draw(box, &html) }
    }
  }

  /// Writes a box with its title and as much of its name as fits, as a link if it has an address.
  static func write(
    _ box: Box, name: String, title: String, style: Attribute, address: String?, to html: inout HTMLWriter
  ) {
    guard let address else { return draw(box, name, title, style, &html) }
    html.element("a", .href(address)) { draw(box, name, title, style, &$0) }
  }

  private static func draw(_ box: Box, _ name: String, _ title: String, _ style: Attribute, _ html: inout HTMLWriter) {
    html.element("g", style) { html in
      html.element("title", text: title)
      html.leaf(
        "rect", Attribute("x", box.x), Attribute("y", Double(box.row) * row),
        Attribute("width", max(0.5, box.width - 1)),
        Attribute("height", row - 2), Attribute("rx", 2))
      let letters = Int((box.width - 8) / letter)
      guard letters > 2 else { return }
      html.element(
        "text", Attribute("x", box.x + 4), Attribute("y", Double(box.row) * row + 14.5), text: cut(name, letters))
    }
  }

  private static func cut(_ text: String, _ letters: Int) -> String {
    guard text.unicodeScalars.count > letters else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(letters - 1))) + "…"
  }
}
