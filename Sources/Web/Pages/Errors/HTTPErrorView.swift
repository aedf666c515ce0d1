import Core

/// An error as a page, with what to do next.
enum HTTPErrorView {
  /// The page for an HTTP status. `detail`: a sentence for the reader; nil for the default text of the status.
  static func render(status: Int, detail: String? = nil, _ context: PageContext) -> [UInt8] {
    let words = words(status)
    let layout = Layout(page: .overview, title: words.title, context: context)
    return layout.render { html in
      html.element("div", .class("notice")) { html in
        html.element("p", .class("label"), text: "Error \(status)")
        html.element("h1", text: words.title)
        html.element("p", .class("summary")) { $0.element("bdi", text: detail ?? words.detail) }
        html.element("p") { html in
          if status == 401 {
            html.element("a", .class("button"), .href(layout.links.href(.login)), text: "Sign in")
          } else {
            html.element("a", .class("button"), .href(layout.links.href(.overview)), text: "Go to all apps")
          }
        }
      }
    }
  }

  private static func words(_ status: Int) -> (title: String, detail: String) {
    switch status {
    case 401: ("Sign in first", "This page shows data of your apps, so you need to sign in.")
    case 403: ("Not allowed", "This request came from another site, or your role does not allow it.")
    case 404: ("Not found", "There is no app, metric or page at this address. It may have been removed.")
    case 429: ("Too many requests", "Wait a minute, then try again.")
    case 503: ("Busy", "The server is busy or its disk is full. No accepted data is lost.")
    case 500...: ("Something failed", "The server could not render this page. See the server’s log for the reason.")
    default: ("Bad request", "The request is invalid.")
    }
  }
}
