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
      if let node { path(to: node, &html) }
      html.element(
        "div", .class("scroll"), Attribute("role", literal: "region"), Attribute("tabindex", literal: "0"),
        Attribute("aria-label", literal: "Flame graph")
      ) { html in
        html.write(chart(node))
      }
      deeper(chart(node), &html)
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
  private func zoom(_ node: Int) -> String? {
    guard links.style == .served else { return nil }
    return links.href(.groupFocus(app: model.app, id: model.group.id, node: flame.nodes[node].id))
  }

  /// A graph that cannot be zoomed shows all levels.
  private func chart(_ node: Int?) -> FlameChart {
    FlameChart(
      flame: flame, focus: node, address: { zoom($0) }, mostRows: links.style == .served ? 80 : Int.max)
  }

  /// Writes the number of levels below the last drawn one, with a link to them.
  private func deeper(_ chart: FlameChart, _ html: inout HTMLWriter) {
    guard let hidden = chart.hidden, let address = zoom(hidden.node) else { return }
    html.element("p", .class("meta")) { html in
      let levels = hidden.levels == 1 ? "1 more level is" : "\(Decimal.grouped(hidden.levels)) more levels are"
      html.text("\(levels) not shown: ")
      html.element("a", .href(address)) { html in
        html.text("continue from ")
        html.write(Name(flame.nodes[hidden.node].name))
      }
      html.text(".")
    }
  }

  private func path(to node: Int, _ html: inout HTMLWriter) {
    html.element("p", .class("meta")) { html in
      html.element("a", .href(links.href(.group(app: model.app, id: model.group.id))), text: "The whole graph")
      // The last few callers: a path from `main` is longer than a line.
      for caller in flame.path(to: node).suffix(5) {
        html.text(" › ")
        let name = Name(flame.nodes[caller].name)
        if caller != node, let address = zoom(caller) {
          html.element("a", .href(address)) { $0.write(name) }
        } else {
          html.write(name)
        }
      }
    }
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
    path.map { "\(share($0))  \(SanitizedName.text($0.binary))  \(SanitizedName.text($0.name))" }.joined(
      separator: "\n")
  }
}
