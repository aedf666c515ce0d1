import Testing

@testable import Analysis
@testable import Core
@testable import Storage
@testable import Web

/// Every string of every model comes from a device or a file, and some of them want out.
@Suite struct HostileStringTests {
  static let strings = [
    #""><script>alert(1)</script>"#, "'><img src=x onerror=alert(1)>", "\u{0600}<b>", "\u{0600}\"onload=x", "a\0b",
    "\u{202E}gnp.exe", "שלום עולם", "👩‍👩‍👧‍👦 <i>", "</title></svg></table>", "../../etc/passwd", "..", "%00%2e", "",
    "&lt;script&gt;", "`${1}`", "\u{2028}\r\n", String(repeating: "W", count: 200),
    "<" + String(repeating: "😀", count: 200), "javascript:alert(1)",
  ]

  @Test(
    "a hostile string never becomes markup, and a link from it stays on the site", arguments: strings,
    [LinkStyle.served, .files])
  func nothingBreaksOut(text: String, style: LinkStyle) throws {
    let hostile = pages(text, filtered(PageContext(linkStyle: style), text))
    for (page, expected) in zip(hostile, style == .served ? Self.servedOutlines : Self.fileOutlines) {
      #expect(!page.contains(0), "NUL")
      let elements = try HTMLParser.parse(page).descendants
      // The same elements in the same order with the same attributes: whatever the strings say, the structure stays.
      let found = Self.outline(elements)
      let difference = zip(found, expected).first { $0 != $1 }
      #expect(difference == nil && found.count == expected.count)
      for link in elements.flatMap(\.attributes) where ["href", "src", "action"].contains(link.name) {
        #expect(Self.isLocal(link.value, style), "\(link.value)")
      }
    }
  }

  private static func isLocal(_ link: String, _ style: LinkStyle) -> Bool {
    if ["#main", "#end"].contains(link) { return true }
    return style == .served
      ? link.hasPrefix("/") && !link.hasPrefix("//") || link.hasPrefix("?") : !link.contains(":")
  }

  @Test("text direction marks stay inside their own isolate", arguments: [LinkStyle.served, .files])
  func directionStays(style: LinkStyle) {
    for page in pages("\u{202E}evil\u{2066}", PageContext(linkStyle: style)) {
      var text = String(decoding: page, as: UTF8.self)
      // An attribute is shown on its own; a field of a form holds what it is told.
      text.replace(/="[^"]*"/, with: "")
      // Where a name may be broken.
      text = text.replacing("<wbr/>", with: "")
      text.replace(/<bdi[^>]*>[^<]*<\/bdi>/, with: "")
      let turning = text.unicodeScalars.filter { $0 == "\u{202E}" || $0 == "\u{2066}" }
      #expect(turning.isEmpty)
    }
  }

  /// The same page with filters and choices from a device. An empty text narrows nothing.
  private func filtered(_ context: PageContext, _ text: String) -> PageContext {
    let text = text.isEmpty ? " " : text
    var context = context
    context.filter = ReportQuery(
      environment: text, release: text, os: text, device: text, deviceClass: text, label: text)
    context.choices = FilterChoices(
      environments: [text], releases: [text, text + "2"], systems: [text], deviceClasses: [text],
      devices: [.init(model: text, title: text)])
    return context
  }

  /// The pages about an app and everything in it that are called `x`.
  private static let servedOutlines = outlines(.served)
  private static let fileOutlines = outlines(.files)

  private static func outlines(_ style: LinkStyle) -> [[String]] {
    let suite = HostileStringTests()
    return suite.pages("x", suite.filtered(PageContext(linkStyle: style), "x")).map {
      (try? outline(HTMLParser.parse($0).descendants)) ?? []
    }
  }

  /// Every element with the names of its attributes: `a class href`.
  private static func outline(_ elements: [Element]) -> [String] {
    elements.map { element in ([element.name] + element.attributes.map(\.name)).joined(separator: " ") }
      .filter { !varies($0) }
  }

  /// A long name carries its whole self in a title, a name of code may be broken behind punctuation, and a long release
  /// has no room for its label in a chart.
  private static func varies(_ element: String) -> Bool {
    element.hasPrefix("bdi") || element == "wbr" || element == "text class x y text-anchor"
  }

  private func pages(_ text: String, _ context: PageContext) -> [[UInt8]] {
    let slice = Slice(environment: text, release: text, os: text, device: text, deviceClass: text, label: text)
    return [
      OverviewView.render(overview(text), context),
      AppView.render(app(text, slice), crashes: Fleet.groupList(text), context),
      MetricsPage.view(.init(report: metrics(text, slice), figures: figures(text), asOf: Fleet.asOf), context),
      MetricView.render(metric(text, slice), context), MetricView.render(inStore(text, metric(text, slice)), context),
      DataQualityView.render(quality(text), context),
      DiagnosticsView.render(diagnostics(text), context),
      GroupsView.render(Fleet.groupList(text), context), GroupView.render(Fleet.groupPage(text), context),
      GroupView.render(Fleet.groupPage(text, hang: true), focus: text, context),
      ReleaseView.render(release(text), impact: Fleet.impact(text), context),
      CompareView.render(comparison(text), context), RolloutView.render(rollout(text), context),
      ImpossibleRolloutView.render(
        app: text, release: rollout(text).release, why: text, asOf: Fleet.asOf, context),
      AlertsView.render(alerts(text, slice), context),
      ReleaseView.render(release(text), context), SessionsView.render(sessions(text, slice), context),
      ExitsView.render(exits(text, slice), context), BudgetsView.render(budgets(text, slice), context),
      ChecklistView.render(checklist(text), context), setup(Fleet.setupPage, text, context),
      setup(Fleet.waiting, text, context), NoMetricView.render(app: text, metric: text, asOf: Fleet.asOf, context),
      NoMetricView.render(
        app: text, metric: "hang.rate", AppStoreModel(figures: figures(text)), asOf: Fleet.asOf, context),
      ImpossibleComparisonView.render(app: text, why: text, asOf: Fleet.asOf, context),
      HTTPErrorView.render(status: 404, detail: text, context),
      LoginView.render(failure: text, next: text, context),
    ]
  }
}
