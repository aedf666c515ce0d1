import Analysis
import Core
import Storage

/// Where metrics became worse, or from where reports come: for each, the devices, OS versions and the like that stand
/// out, or that none does.
struct CausesSection: Markup {
  var app: String
  /// The metrics by their titles.
  var lists: [(title: String, list: CauseList)]
  /// The slice that the metrics have in common.
  var slice: Slice
  var heading: String?
  /// The page that causes link to; nil for the page of their metric.
  var target: Page?
  var links: Links

  init(
    app: String, _ lists: [(title: String, list: CauseList)], slice: Slice, heading: String? = "Where",
    target: Page? = nil, links: Links
  ) {
    (self.app, self.lists, self.slice, self.heading) = (app, lists, slice, heading)
    (self.target, self.links) = (target, links)
  }

  /// The worse metrics of a comparison.
  init(_ comparison: ReleaseComparison, heading: String? = "Where", links: Links) {
    let lists = comparison.metrics.compactMap { metric in metric.causes.map { (metric.plainTitle, $0) } }
    self.init(app: comparison.app, lists, slice: comparison.slice, heading: heading, links: links)
  }

  func write(to html: inout HTMLWriter) {
    guard !lists.isEmpty else { return }
    html.element("section", .class("causes")) { html in
      if let heading { html.element("h2", text: heading) }
      for (title, list) in lists { write(title, list, &html) }
    }
  }

  private func caption(_ title: String, _ list: CauseList) -> String {
    let title = ShortenedName.text(title)
    if let release = list.release, let before = list.before {
      return "\(title): the parts of the use in which \(ShortenedName.text(release)) became worse than in the rest, "
        + "\(list.window.text) against \(before.text)"
    }
    guard let release = list.release, let base = list.base else {
      return "\(title): the parts of the use with more reports than the rest, \(list.window.text)"
    }
    return "\(title): the parts of the use in which \(ShortenedName.text(release)) became worse than in the rest, "
      + "compared with \(ShortenedName.text(base)), \(list.window.text)"
  }

  private func write(_ title: String, _ list: CauseList, _ html: inout HTMLWriter) {
    guard !list.causes.isEmpty else {
      return html.element("p") { html in
        html.write(Name(title))
        html.text(": \(list.answer).")
      }
    }
    html.write(
      Table(caption(title, list), of: list.causes, style: "stack") {
        Column.head("Where") { cause, html in
          html.write(CauseLink(cause: cause, list: list, app: app, target: target, slice: slice, links: links))
        }
        Column.number(list.isOfGroup ? "Reports for the same use" : "Worse than the rest", text: \.ratioText)
        Column.number("Share of use") { $1.number($0.useShare, .ratio) }
        Column.number(list.isOfGroup ? "Share of reports" : "Share of bad events") { $1.number($0.eventShare, .ratio) }
        Column.number("Explains") { $1.text($0.explainedText ?? Quantity.unknown) }
      })
  }
}

/// The name of a cause, as a link to the metric filtered to it; a group's links to the group.
struct CauseLink: Markup {
  var cause: NamedCause
  var list: CauseList
  var app: String
  /// The page that the link leads to; nil for the metric.
  var target: Page?
  var slice = Slice()
  var links: Links

  func write(to html: inout HTMLWriter) {
    // No filter selects the reports of a group by the age of the update.
    if list.isOfGroup, isOfUpdate { return html.write(Name(cause.title)) }
    html.element("a", .href(address)) { $0.write(Name(cause.title)) }
  }

  private var isOfUpdate: Bool { cause.names.contains { $0.dimension == .updateAge } }

  private var address: String {
    // No filter selects an age of the update, but the page of the rollout compares ages.
    if isOfUpdate, let release = list.release {
      return links.href(.rollout(app: app, release: release))
    }
    return filtered.href(target ?? .metric(app: app, name: list.metric))
  }

  /// Links that are filtered to the release and the part of the use.
  private var filtered: Links {
    var own = links
    let part = cause.slice(of: slice)
    own.filter.environment = part.environment
    (own.filter.release, own.filter.os, own.filter.device) = (part.release ?? list.release, part.os, part.device)
    (own.filter.deviceClass, own.filter.attribute, own.filter.label) = (part.deviceClass, part.attribute, part.label)
    (own.filter.from, own.filter.to) = (list.window.from, list.window.to)
    return own
  }
}
