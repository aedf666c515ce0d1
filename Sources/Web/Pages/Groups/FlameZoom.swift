import Analysis
import Core

/// The links around a drawn flame graph: to the callers of the function that is drawn at full width, and to levels that
/// are too deep to be drawn.
struct FlameZoom<Graph: FlameGraphProtocol> {
  var flame: Graph
  /// The address that shows the node with an id at full width; the whole graph for nil. Nil in a static export.
  var address: (String?) -> String?

  /// Writes the last callers of the node at full width: a path from `main` is longer than a line.
  func path(to node: Int, _ html: inout HTMLWriter) {
    html.element("p", .class("meta")) { html in
      if let whole = address(nil) { html.element("a", .href(whole), text: "The whole graph") }
      for caller in flame.path(to: node).suffix(5) {
        html.text(" › ")
        let name = Name(flame.nodes[caller].name)
        if caller != node, let address = address(flame.nodes[caller].id) {
          html.element("a", .href(address)) { $0.write(name) }
        } else {
          html.write(name)
        }
      }
    }
  }

  /// Writes the number of levels below the last drawn one, with a link to them.
  func deeper(_ hidden: (levels: Int, node: Int)?, _ html: inout HTMLWriter) {
    guard let hidden, let address = address(flame.nodes[hidden.node].id) else { return }
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
}
