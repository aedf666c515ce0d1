import Analysis
import Core

/// The hottest path of a flame graph: from the outermost function always to the callee with the most samples.
struct HottestPath: Markup {
  var flame: FlameGraph
  /// A note that the samples ignore the filters; empty without filters.
  var ofWhole = ""

  /// The most functions shown at once: the innermost ones, where the time is spent.
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
          html.element("summary", text: "The \(outer.count) callers of these")
          html.write(table("Callers, the outermost first", outer))
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
    return "Where most of \(samples) in \(diagnostics) were. The app’s own code stands out." + ofWhole
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
    path.map { "\(share($0))  \(PlainName.text($0.binary))  \(PlainName.text($0.name))" }.joined(separator: "\n")
  }
}
