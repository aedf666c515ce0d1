import Analysis
import Core
import Storage

/// The section that compares the labels of one metric, such as which screen or host got slower.
struct LabelChangesSection: Markup {
  var comparison: ReleaseComparison
  /// The labels, most severe first.
  var rows: [MetricComparison]
  var links: Links

  /// The maximum number of labels shown. The data has all of them.
  private static let most = 12

  static func sections(of comparison: ReleaseComparison, _ links: Links) -> [LabelChangesSection] {
    SentenceWords.unique(comparison.labels.map(\.name)).map { name in
      LabelChangesSection(comparison: comparison, rows: comparison.labels.filter { $0.name == name }, links: links)
    }
  }

  /// The HTML id of the section of a metric's labels; nil if none were compared.
  static func id(of metric: String, in comparison: ReleaseComparison) -> String? {
    comparison.labels.contains { $0.name == metric } ? fragment(of: metric) : nil
  }

  static func fragment(of metric: String) -> String { "by-" + PathEncoding.file(metric) }

  /// The noun for a metric's labels: `screen`, `host`.
  static func noun(of metric: String) -> String { Catalogue.metric(named: metric)?.labelledBy ?? "label" }

  func write(to html: inout HTMLWriter) {
    guard let first = rows.first else { return }
    let noun = Self.noun(of: first.name)
    let title = "\(ShortenedName.text(first.title)) by \(noun)"
    html.element("section", Attribute("id", Self.fragment(of: first.name))) { html in
      html.element("h2", text: title)
      html.element("p", text: sentence(noun))
      html.write(ForestFigure(title: title, metrics: shown))
      html.write(table(title, noun))
      rest(&html)
    }
  }

  private var shown: [MetricComparison] { Array(rows.prefix(Self.most)) }

  private func table(_ title: String, _ noun: String) -> ComparisonTable {
    var table = ComparisonTable(comparison: comparison, links: links)
    table.rows = shown
    table.noun = SentenceWords.capitalized(noun)
    table.caption = [title, rows.first?.statistic].compactMap { $0 }.joined(separator: ", ")
    return table
  }

  /// A sentence that lists the worse labels, or states that there is none.
  private func sentence(_ noun: String) -> String {
    let worse = rows.filter { $0.severity == .worse || $0.severity == .slightlyWorse }.map {
      ShortenedName.text($0.label ?? "")
    }
    let names = worse.prefix(4) + (worse.count > 4 ? ["\(SentenceWords.number(worse.count - 4)) more"] : [])
    let days = comparison.labelWindow.flatMap { window in
      window == comparison.window ? nil : " Values by \(noun) cover \(window.from.iso) to \(window.to.iso)."
    }
    let answer = worse.isEmpty ? "No \(noun) is clearly worse." : "Worse: \(SentenceWords.list(Array(names)))."
    return answer + (days ?? "")
  }

  private func rest(_ html: inout HTMLWriter) {
    let left = rows.count - shown.count
    var data = links
    data.filter[comparison.groups == nil ? .release : .attribute] = nil
    html.element("p", .class("data")) { html in
      if left > 0 { html.text("\(left) more \(left == 1 ? "row is" : "rows are") in the data: ") }
      html.element("a", .href(data.href(.data(of: links.origin, .json))), text: "JSON")
      html.text(", ")
      html.element("a", .href(data.href(.table(of: links.origin, .parts))), text: "CSV")
    }
  }
}

/// The link from a metric's page to the comparison of its labels.
struct LabelChangesLink: Markup {
  var page: MetricModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    let noun = LabelChangesSection.noun(of: page.report.name)
    html.element("p") { html in
      html.element(
        "a",
        .href(
          links.href(.newest(app: page.app), links.filter.with(.label, nil)) + "#"
            + LabelChangesSection.fragment(of: page.report.name)), text: "Which \(noun) changed with the newest release"
      )
    }
  }
}
