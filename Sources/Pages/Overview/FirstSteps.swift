import HTML

/// What an empty first page shows: the way to the first number.
struct FirstSteps: Markup {
  var serverURL: String

  func write(to html: inout HTMLWriter) {
    html.element("p", .class("summary"), text: "No app yet. Two commands bring the first one here.")
    html.element("ol", .class("steps")) { html in
      html.element("li") { html in
        html.element("h2", text: "Add your app")
        html.element("p", text: "This prints its key.")
        html.element("pre") { $0.element("code", text: "plumb app add com.example.shop") }
      }
      html.element("li") { html in
        html.element("h2", text: "Send what a device measured")
        html.element(
          "p", text: "MetricKit payloads go here as they are. Xcode's “Simulate MetricKit Payloads” makes one.")
        html.element("pre") { $0.element("code", text: command) }
      }
      html.element("li") { html in
        html.element("h2", text: "Reload this page")
        html.element("p", text: "Your app stands here a few seconds later.")
      }
    }
  }

  private var command: String {
    """
    curl -H "Authorization: Bearer $PLUMB_KEY" \\
         --data-binary @payload.json \\
         \(serverURL)/v1/payloads
    """
  }
}
