import Analysis
import Core
import Storage

/// The silences of an app's alerts, and for editors the forms that add and end them.
struct SilenceSection: Markup {
  var app: String
  var silences: [Silence]
  var canEdit: Bool
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard canEdit || !silences.isEmpty else { return }
    html.element("section") { html in
      html.element("h2", text: "Silences")
      if silences.isEmpty {
        html.element("p", .class("meta"), text: "There are none: incidents of this app are told.")
      } else {
        html.write(
          Table("Until their end these incidents are not told", of: silences) {
            Column.head("What") { $1.write(Name(scope($0))) }
            Column("From", text: \.starts.dayOrMinute)
            Column("Until", text: \.ends.dayOrMinute)
            Column("Why") { $1.element("bdi", text: $0.reason) }
            Column("End it", content: end)
          })
      }
      if canEdit { form(&html) }
    }
  }

  private func scope(_ silence: Silence) -> String {
    let scope = [
      silence.app == nil ? "all apps" : nil, silence.incident.map { "incident \($0)" }, silence.release, silence.rule,
    ].compactMap { $0 }
    return scope.isEmpty ? "every incident" : scope.joined(separator: " · ")
  }

  private func end(_ silence: Silence, _ html: inout HTMLWriter) {
    // One of all apps is ended by command only.
    guard canEdit, silence.app != nil else { return html.text("plumb silence remove \(silence.id)") }
    let address = links.href(.silence(app: app, silence.id), .init())
    html.element("form", Attribute("method", literal: "post"), Attribute("action", address)) { html in
      html.element("button", .class("quiet"), Attribute("aria-label", "End silence \(silence.id)"), text: "End")
    }
  }

  private func form(_ html: inout HTMLWriter) {
    html.element("details") { html in
      html.element("summary", text: "Silence incidents for a while")
      html.element(
        "form", .class("decide"), Attribute("method", literal: "post"),
        Attribute("action", links.href(.silences(app: app), .init()))
      ) { html in
        html.literal(
          """
          <label>For <select name="hours"><option value="4">4 hours</option><option value="24">1 day</option>\
          <option value="72">3 days</option><option value="168">1 week</option></select></label>\
          <label>Rule, metric or budget <input name="rule" maxlength="200" autocomplete="off" \
          placeholder="every one"/></label>\
          <label>Release <input name="release" maxlength="200" autocomplete="off" placeholder="every one"/></label>\
          <label>Why <input name="reason" maxlength="500" autocomplete="off" required/></label>
          """)
        html.element("button", .class("button"), text: "Silence")
      }
    }
  }
}

/// The addresses that take decisions about silences. `Server` handles them.
enum SilencesAddress: PageAddress {
  static let path: PathPattern = "apps/{app}/silences"
}

enum SilenceAddress: PageAddress {
  static let path: PathPattern = "apps/{app}/silences/{silence}"
}

extension Page {
  static func silences(app: String) -> Page { Page(SilencesAddress.self, [app]) }
  static func silence(app: String, _ number: Int64) -> Page { Page(SilenceAddress.self, [app, "\(number)"]) }
}
