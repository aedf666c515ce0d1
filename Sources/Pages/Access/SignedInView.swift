import HTML

/// The page between a login with a provider and the first page: it leads on by itself.
public enum SignedInView {
  /// The page as UTF-8. `next`: a path of this server, which begins with a slash.
  public static func render(next: String, _ context: PageContext) -> [UInt8] {
    var layout = Layout(page: .login, title: "Signed in", context: context)
    let address = layout.links.asset(String(next.dropFirst()))
    layout.forward = address
    return layout.render { html in
      html.element("div", .class("notice")) { html in
        html.element("h1", text: "Signed in")
        html.element("p") { $0.element("a", .class("button"), .href(address), text: "Continue") }
      }
    }
  }
}
