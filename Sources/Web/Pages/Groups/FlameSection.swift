import Analysis
import Core

/// Sampled call trees, merged into a flame graph that links zoom into.
struct FlameSection: Markup {
  var model: GroupDetail
  var flame: FlameGraph
  var focus: String?
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !flame.nodes.isEmpty else { return }
    let node = focus.flatMap { flame.index(of: $0) }
    html.element("section") { html in
      html.element("h2", text: "Where the time goes")
      html.element("p", .class("meta"), text: sentence)
      let zoom = FlameZoom(flame: flame, address: address)
      if let node { zoom.path(to: node, &html) }
      let chart = chart(node)
      html.element(
        "div", .class("scroll"), Attribute("role", literal: "region"), Attribute("tabindex", literal: "0"),
        Attribute("aria-label", literal: "Flame graph")
      ) { html in
        html.write(chart)
      }
      zoom.deeper(chart.hidden, &html)
    }
  }

  private var sentence: String {
    let samples =
      "\(Decimal.grouped(flame.samples)) \(flame.samples == 1 ? "sample" : "samples") from "
      + "\(Decimal.grouped(flame.diagnostics)) \(flame.diagnostics == 1 ? "diagnostic" : "diagnostics")"
    let zoom = links.style == .served ? " Select a function to zoom in." : ""
    return "\(samples). Callers are above the functions they call; the width shows the share of samples. "
      + "The hottest path is highlighted." + zoom + GroupWords.ofWhole(model.slice)
  }

  /// A static export has only the whole graph, because zooming needs a server.
  private func address(_ node: String?) -> String? {
    guard links.style == .served else { return nil }
    return links.href(
      node.map { .groupFocus(app: model.app, id: model.group.id, node: $0) }
        ?? .group(app: model.app, id: model.group.id))
  }

  /// A graph that cannot be zoomed shows all levels.
  private func chart(_ node: Int?) -> FlameChart {
    FlameChart(
      flame: flame, focus: node, address: { address(flame.nodes[$0].id) },
      mostRows: links.style == .served ? 80 : Int.max)
  }
}

/// The hottest path of a flame graph: from the outermost function, at each step, to the callee with the most samples.
struct HottestPath: Markup {
  var flame: FlameGraph
  /// A note that the samples ignore the filters; empty without filters.
  var ofWhole = ""

  /// The maximum number of functions shown: the innermost ones, where the time is spent.
  private static let most = 15

  private var path: [FlameGraph.Node] { flame.nodes.filter(\.isHeaviest) }

  func write(to html: inout HTMLWriter) {
    guard !flame.nodes.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Hottest path")
      html.element("p", .class("meta"), text: sentence)
      html.write(table("From the outermost function inwards", path.suffix(Self.most)))
      if path.count > Self.most {
        let outer = path.dropLast(Self.most)
        html.element("details") { html in
          html.element("summary", text: "\(outer.count) callers of these functions")
          html.write(table("Callers, outermost first", outer))
        }
      }
      html.element("details") { html in
        html.element("summary", text: "Copy as text")
        html.element("pre", .class("copy"), text: text)
      }
    }
  }

  private var sentence: String {
    let samples = flame.samples == 1 ? "1 sample" : "\(Decimal.grouped(flame.samples)) samples"
    let diagnostics = flame.diagnostics == 1 ? "1 report" : "\(Decimal.grouped(flame.diagnostics)) reports"
    return "The most frequent path in \(samples) from \(diagnostics). The app’s own code is highlighted." + ofWhole
  }

  private func table(_ caption: String, _ nodes: ArraySlice<FlameGraph.Node>) -> Table {
    .cards(caption, of: nodes, rowStyle: { $0.isOwn ? .class("own") : Attribute("class", nil) }) {
      Column.head("Function") { node, html in html.element("code") { $0.write(CodeName(node.name)) } }
      Column("Binary") { $1.write(CodeName($0.binary)) }.named(nil)
      Column.count("Samples", \.samples)
      Column.number("Share", text: share).named(nil)
    }
  }

  private func share(_ node: FlameGraph.Node) -> String {
    Quantity.text(Double(node.samples) / Double(max(1, flame.samples)), .ratio)
  }

  private var text: String {
    path.map { "\(share($0))  \(ShortenedName.text($0.binary))  \(ShortenedName.text($0.name))" }.joined(
      separator: "\n")
  }
}
