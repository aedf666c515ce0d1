import HTML
import Storage
import Telemetry

/// The keys that apps are given.
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
        Table("Keys that may send, the newest first", ["Key", "DSN for Sentry’s SDK", "Until"]) { html in
          for key in keys {
            html.row { html in
              html.rowHead { $0.element("code", text: key.key) }
              html.element("td") { $0.element("code") { $0.text(app.dsn(key: key.key, at: serverURL)) } }
              html.element("td", text: key.retires.map(\.iso) ?? "it is rotated")
            }
          }
        })
    }
  }
}
