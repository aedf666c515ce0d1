import Analysis
import Core

/// The page that lists all guides.
public enum GuidesPage: PageDefinition {
  public static let path: PathPattern = "guides"
  public static let file: PathPattern = "guides/index"

  public static func breadcrumb(_ page: Page) -> String { "Guides" }

  /// Needs no data: the guides are embedded in the program.
  public static func load(_ request: PageRequest) -> Void? { () }

  public static func view(_ model: Void, _ context: PageContext) -> [UInt8] { GuidesView.render(context) }

  public static func linkedPages(_ model: Void, _ request: PageRequest) -> [Page] {
    GuideView.families.map { .guide($0) }
  }
}

/// The page of one guide.
public enum GuidePage: PageDefinition {
  public static let path: PathPattern = "guides/{family}"
  public static let parent: (any PageAddress.Type)? = GuidesPage.self

  public static func breadcrumb(_ page: Page) -> String {
    let family = page.arguments.last ?? ""
    return GuideLibrary.guide(family)?.title ?? family
  }

  /// The name of the family; nil if there is no guide for it.
  public static func load(_ request: PageRequest) -> String? {
    request.arguments.last.flatMap { GuideLibrary.guide($0)?.family }
  }

  public static func view(_ model: String, _ context: PageContext) -> [UInt8] {
    GuideView.render(model, context) ?? []
  }
}

extension Page {
  static let guides = Page(GuidesPage.self)

  static func guide(_ family: String) -> Page { Page(GuidePage.self, [family]) }
}

/// The page of one guide.
enum GuideView {
  /// The families of metrics that have a guide.
  static var families: [String] { GuideLibrary.all.map(\.family) }

  /// The page as UTF-8; nil if there is no guide for the family.
  static func render(_ family: String, _ context: PageContext) -> [UInt8]? {
    guard let guide = GuideLibrary.guide(family) else { return nil }
    let page = Page.guide(guide.family)
    let layout = Layout(
      page: page, title: "\(guide.title) · Guides", context: context)
    return layout.render { html in
      html.element("h1", text: guide.title)
      html.element("div", .class("prose")) { html in
        html.write(GuideBlocks(blocks: guide.opening, links: layout.links))
        for section in guide.sections {
          html.element("h2", text: section.heading)
          html.write(GuideBlocks(blocks: section.blocks, links: layout.links))
        }
      }
      html.write(GuideMetrics(family: guide.family))
    }
  }
}

/// A table of the guide's metrics with their default budgets.
struct GuideMetrics: Markup {
  var family: String

  func write(to html: inout HTMLWriter) {
    let metrics = Catalogue.metrics.filter { $0.guide == family && $0.budget != nil }
    guard !metrics.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Metrics")
      html.write(
        Table("The metrics of this guide, with their default budgets", of: metrics) {
          Column.head("Metric", text: \.title)
          Column("Name") { $1.element("code", text: $0.name) }
          Column("Default budget") { $0.budget.map(BudgetWords.limit) ?? Quantity.unknown }
        })
    }
  }
}

/// The page that lists all guides.
enum GuidesView {
  /// The page as UTF-8.
  static func render(_ context: PageContext) -> [UInt8] {
    let layout = Layout(page: .guides, title: "Guides", context: context)
    return layout.render { html in
      html.element("h1", text: "Guides")
      html.element(
        "p", .class("summary"), text: "What to open first when a budget breaks, and what usually fixes it.")
      html.element("ul", .class("cards")) { html in
        for guide in GuideLibrary.all { html.element("li") { card(guide, layout.links, &$0) } }
      }
    }
  }

  private static func card(_ guide: Guide, _ links: Links, _ html: inout HTMLWriter) {
    html.element("article", .class("card")) { html in
      html.element("h2") { $0.element("a", .href(links.href(.guide(guide.family))), text: guide.title) }
      html.write(GuideBlocks(blocks: guide.opening, links: links))
    }
  }
}

/// Paragraphs and lists of a guide.
struct GuideBlocks: Markup {
  var blocks: [GuideBlock]
  var links: Links

  func write(to html: inout HTMLWriter) {
    for block in blocks {
      switch block {
      case .paragraph(let text): html.element("p") { $0.write(GuideText(text: text, links: links)) }
      case .steps(let items): html.element("ol") { self.items(items, &$0) }
      case .list(let items): html.element("ul") { self.items(items, &$0) }
      }
    }
  }

  private func items(_ items: [String], _ html: inout HTMLWriter) {
    for item in items { html.element("li") { $0.write(GuideText(text: item, links: links)) } }
  }
}
