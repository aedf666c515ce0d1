import Analysis
import Core
import Storage

/// The checklist page: topics answered by the data, and others to tick by hand.
enum ChecklistView {
  /// The page as UTF-8.
  static func render(_ list: ReleaseChecklist, _ context: PageContext) -> [UInt8] {
    let page = Page.checklist(app: list.app)
    let layout = Layout(
      page: page, title: "Checklist of " + PlainName.text(list.app), context: context,
      asOf: list.asOf,
      footer: "Payloads up to number \(Decimal.grouped(Int(list.digestedThrough))).")
    return layout.render { html in
      html.element("h1") { html in
        html.text("Release checklist")
        guard let release = list.release else { return }
        html.text(": ")
        html.write(Name(release))
      }
      html.element("p", .class("summary"), text: context.budgetError == nil ? sentence(list) : unjudged)
      if let note = list.environmentNote { html.write(Banner(text: note, isWarning: true)) }
      html.write(
        FilterBar(
          page: page, window: list.window, slice: Slice(environment: list.environment, release: list.release),
          context: context))
      html.element("ol", .class("checklist")) { html in
        for item in list.items { html.element("li") { $0.write(ChecklistCard(item: item, links: layout.links)) } }
      }
      html.element("p", .class("meta"), text: "Ticks are not stored. Print the page to keep them.")
    }
  }

  private static let unjudged = "Nothing is judged: the budget file has an error. Try each topic on a device."

  private static func sentence(_ list: ReleaseChecklist) -> String {
    let answered = list.items.filter { $0.verdict != nil }
    let bad = answered.count { $0.verdict == .broken }
    let total = list.items.count
    guard !answered.isEmpty else {
      return "The data answers none of the \(Summary.number(total)) topics yet: try each on a device."
    }
    let lead =
      "The data answers \(Summary.number(answered.count)) of \(Summary.number(total)) topics"
    if bad == 0 { return lead + ", and none of them is broken. The boxes are yours." }
    return lead + "; \(Summary.number(bad)) \(bad == 1 ? "is" : "are") broken. The boxes are yours."
  }
}
