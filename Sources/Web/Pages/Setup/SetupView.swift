import Analysis
import Core
import Storage

/// The page that explains how an app sends payloads, and shows whether they arrive.
enum SetupView {
  /// The page as UTF-8. `keys`: the app's keys; empty for a copy that others may read.
  static func render(_ setup: SetupModel, app: App, keys: [IngestKey], _ context: PageContext) -> [UInt8] {
    let page = Page.setup(app: setup.app)
    let layout = Layout(
      page: page, title: "Setup of " + context.name(of: setup.app), context: context,
      asOf: setup.asOf)
    let valid = keys.filter { $0.isValid(at: setup.asOf) }
    return layout.render { html in
      html.element("h1", text: "Setup")
      html.write(SetupState(setup: setup, links: layout.links))
      html.write(SetupKeys(app: app, keys: valid, serverURL: context.serverURL))
      let code = SetupCode(
        key: valid.first?.key ?? "YOUR_KEY", dsn: dsn(app, valid, context), url: context.serverURL)
      html.write(SetupSteps(code: code))
    }
  }

  private static func dsn(_ app: App, _ keys: [IngestKey], _ context: PageContext) -> String {
    app.dsn(key: keys.first?.key ?? "YOUR_KEY", at: context.serverURL)
  }
}

/// The list of the app's ingest keys.
struct SetupKeys: Markup {
  var app: App
  var keys: [IngestKey]
  var serverURL: String

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Keys")
      guard !keys.isEmpty else {
        html.element("p") { html in
          html.text("Keys are not written into a copy of the pages. ")
          html.element("code", text: "plumb app list")
          html.text(" shows them.")
        }
        return
      }
      html.element("p", text: "A key ships inside the app: it may only send, and only for this app.")
      html.write(
        Table("Keys that may send, the newest first", of: keys, style: "lines") {
          Column.head("Key") { $1.element("code", text: $0.key) }
          Column("DSN for Sentry’s SDK", .class("rest")) { key, html in
            html.element("code") { $0.text(app.dsn(key: key.key, at: serverURL)) }
          }.named(nil)
          Column("Until") { key, html in
            if let end = key.retires { html.write(DateTime(end)) } else { html.text("it is rotated") }
          }
        })
    }
  }
}
