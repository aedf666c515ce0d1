import Analysis
import Core
import Storage

/// The form to resolve, ignore or reopen a group. Viewers who may not decide see the commands instead.
struct GroupDecisionForm: Markup {
  var app: String
  var group: GroupSummary
  var canDecide: Bool
  /// The path prefix of the server.
  var mountPath = ""

  func write(to html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: title)
      if canDecide { form(&html) } else { html.element("pre", text: commands) }
    }
  }

  private var isOpen: Bool {
    switch group.status {
    case .open, .regressed: true
    case .resolved, .ignored: false
    }
  }

  private var title: String { isOpen ? "Resolve or ignore" : "Reopen" }

  private func form(_ html: inout HTMLWriter) {
    let address = mountPath + Page.group(app: app, id: group.id).path
    html.element("form", .class("decide"), Attribute("method", literal: "post"), Attribute("action", address)) { html in
      guard isOpen else {
        return html.element("button", .class("button"), Self.state("open"), Self.named, text: "Reopen")
      }
      html.element("label") { html in
        html.text("Fixed in release ")
        html.leaf(
          "input", Attribute("name", literal: "release"), Attribute("maxlength", 200),
          Attribute("autocomplete", literal: "off"), .flag("required"))
      }
      html.element("button", .class("button"), Self.named, Self.state("resolved"), text: "Resolve")
      // Ignoring a group needs no release.
      html.element(
        "button", .class("button"), Self.named, Self.state("ignored"), .flag("formnovalidate"), text: "Ignore")
    }
  }

  private static let named = Attribute("name", literal: "state")

  private static func state(_ state: String) -> Attribute { Attribute("value", state) }

  private var commands: String {
    let app = "--app \(ShortenedName.text(self.app))"
    return isOpen
      ? "plumb groups resolve \(group.id) \(app) --in RELEASE\nplumb groups ignore \(group.id) \(app)"
      : "plumb groups reopen \(group.id) \(app)"
  }
}
