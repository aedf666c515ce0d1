import HTML
public import Telemetry

/// What stands where a comparison would be, when there are not two releases to compare.
public enum ImpossibleComparisonView {
  /// The page as UTF-8. `why` is a sentence for people; `base` and `head` what was asked for.
  public static func render(
    app: String, why: String, base: String? = nil, head: String? = nil, asOf: Timestamp, _ context: PageContext
  ) -> [UInt8] {
    let page = Page.newest(app: app)
    let layout = Layout(
      page: page, title: "Compare releases of " + PlainName.text(app), context: context,
      asOf: asOf)
    return layout.render { html in
      html.element("h1", text: "Compare releases")
      html.element("p", .class("summary")) { $0.element("bdi", text: Summary.capitalized(why)) }
      html.write(CompareForm(app: app, base: base, head: head, context: context))
      html.element("p") { html in
        html.element("a", .href(layout.links.href(.app(app))), text: "Back to the vitals")
      }
    }
  }
}
