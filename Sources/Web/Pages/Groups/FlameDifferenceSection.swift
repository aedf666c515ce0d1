import Analysis
import Core

/// What changed in the code between two releases or slices: the changes as a table, and a flame graph coloured by them.
struct FlameDifferenceSection: Markup {
  var flame: FlameDifference
  /// The names of the two sides, such as releases.
  var head: String
  var base: String
  /// The id of the node to draw at full width.
  var focus: String?
  /// The address that shows the node with an id at full width; nil for the whole graph. Nil in a static export.
  var address: (String?) -> String?
  var heading = "What changed in the code"

  init(
    flame: FlameDifference, head: String, base: String, focus: String? = nil, address: @escaping (String?) -> String?
  ) {
    (self.flame, self.head, self.base) = (flame, head, base)
    (self.focus, self.address) = (focus, address)
  }

  /// `page`: the page with the node at full width; with the whole graph for nil. A static export cannot be zoomed.
  init(_ changes: CodeChanges, focus: String?, links: Links, page: @escaping (String?) -> Page) {
    self.init(flame: changes.flame, head: changes.head, base: changes.base, focus: focus) { node in
      links.style == .served ? links.href(page(node)) : nil
    }
  }

  func write(to html: inout HTMLWriter) {
    guard !flame.nodes.isEmpty else { return }
    let node = focus.flatMap { flame.index(of: $0) }
    html.element("section", .class("code-changes")) { html in
      html.element("h2", text: heading)
      html.element("p", text: answer)
      html.element("p", .class("meta"), text: sentence)
      if !flame.changes.isEmpty { html.write(table) }
      guard flame.roots.contains(where: { flame.nodes[$0].head > 0 }) else { return }
      legend(&html)
      let zoom = FlameZoom(flame: flame, address: address)
      if let node { zoom.path(to: node, &html) }
      let chart = chart(node)
      html.element(
        "div", .class("scroll"), Attribute("role", literal: "region"), Attribute("tabindex", literal: "0"),
        Attribute("aria-label", literal: "Flame graph of the change")
      ) { $0.write(chart) }
      zoom.deeper(chart.hidden, &html)
    }
  }

  private var words: FlameDifferenceWords { FlameDifferenceWords(unit: flame.unit) }

  private var answer: String {
    guard flame.tested > 0 else {
      return "There are too few diagnostics with call trees to compare the code of both sides."
    }
    guard !flame.changes.isEmpty else { return "Nothing in the code stands out." }
    let count = flame.changes.count
    return count == 1 ? "1 change stands out." : "\(count) changes stand out."
  }

  private var sentence: String {
    func side(_ name: String, _ diagnostics: Int, _ hours: Double?) -> String {
      let count = "\(Decimal.grouped(diagnostics)) \(diagnostics == 1 ? "diagnostic" : "diagnostics")"
      let exposure = hours.map { " in \(Decimal.significant($0)) h in the foreground" } ?? ""
      return "\(ShortenedName.text(name)): \(count)\(exposure)"
    }
    let unit =
      flame.unit == .share
      ? "Functions are compared by their share, because the foreground time or the costs are unknown." : ""
    return "\(side(head, flame.headDiagnostics, flame.headHours)). "
      + "\(side(base, flame.baseDiagnostics, flame.baseHours)). "
      + "The width of a function is its cost in \(ShortenedName.text(head)). "
      + "If nothing differs, a function is coloured in at most 5\u{A0}% of graphs. " + unit
  }

  private var table: Table {
    Table(
      "Changes from \(ShortenedName.text(base)) to \(ShortenedName.text(head)), in \(words.unitText), largest first",
      of: flame.changes, style: "stack"
    ) {
      Column.head("Function") { change, html in function(change, &html) }
      Column("Called by") { change, html in callers(of: change, &html) }
      Column("Kind") { $1.text(Self.word($0)) }
      Column.number("Before") { words.number($0.base) }
      Column.number("Now") { words.number($0.head) }
      Column.number("Change") { words.difference($0.difference) }
      Column.number("Share of a diagnostic") { words.points($0.shareDifference) }
      Column.number("p") { FlameDifferenceWords.pValue($0.pValue) }
    }
  }

  private static func word(_ change: FlameDifference.Change) -> String {
    switch change.kind {
    case .more: change.isOwnCost ? "more, itself" : "more"
    case .less: change.isOwnCost ? "less, itself" : "less"
    case .new: "new"
    case .vanished: "vanished"
    case .moved: "moved"
    }
  }

  private func function(_ change: FlameDifference.Change, _ html: inout HTMLWriter) {
    let node = flame.nodes[change.node]
    html.element("code") { html in
      if node.head > 0, let address = address(node.id) {
        html.element("a", .href(address)) { $0.write(CodeName(node.name)) }
      } else {
        html.write(CodeName(node.name))
      }
    }
    guard let origin = change.origin else { return }
    html.text(" from ")
    html.element("code") { $0.write(CodeName(flame.nodes[origin].name)) }
  }

  /// The callers that share the change; without such, the caller.
  private func callers(of change: FlameDifference.Change, _ html: inout HTMLWriter) {
    let parent = flame.nodes[change.node].parent
    let callers = change.callers.isEmpty ? (parent >= 0 ? [parent] : []) : change.callers.suffix(3)
    guard !callers.isEmpty else { return html.text(Quantity.unknown) }
    for (place, caller) in callers.enumerated() {
      if place > 0 { html.text(" › ") }
      html.write(CodeName(flame.nodes[caller].name))
    }
  }

  private func legend(_ html: inout HTMLWriter) {
    html.element("p", .class("meta")) { html in
      for (style, text) in [
        ("much-more", "at least half more"), ("more", "more"), ("same", "no change shown"), ("less", "less"),
        ("much-less", "at least a third less"),
      ] as [(StaticString, String)] {
        html.element("span", .class("key", style), text: text)
        html.text(" ")
      }
    }
  }

  /// A graph that cannot be zoomed shows all levels.
  private func chart(_ node: Int?) -> FlameDifferenceChart {
    FlameDifferenceChart(
      flame: flame, focus: node, address: { address(flame.nodes[$0].id) },
      mostRows: address(nil) == nil ? Int.max : 80)
  }
}
