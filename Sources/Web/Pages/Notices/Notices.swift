import Core

/// The form to sign in.
enum LoginView {
  /// The ways to sign in.
  struct Ways: Sendable {
    var passwords: Bool = true
    /// The label of the provider's button; nil without a provider.
    var provider: String?
  }

  /// The page as UTF-8. `failure`: why the last attempt failed. `next`: the path to redirect to after the login; the
  /// server must accept only its own paths.
  static func render(
    ways: Ways = Ways(), failure: String? = nil, next: String? = nil, _ context: PageContext
  ) -> [UInt8] {
    let layout = Layout(page: .login, title: "Sign in", context: context)
    return layout.render { html in
      html.element("div", .class("notice")) { html in
        html.element("h1", text: "Sign in")
        if let failure {
          html.element("p", .class("banner", "warning"), Attribute("role", literal: "alert")) {
            $0.element("bdi", text: failure)
          }
        }
        if let provider = ways.provider {
          html.element("p") {
            $0.element("a", .class("button"), .href(layout.links.href(.signIn(next: next))), text: provider)
          }
        }
        guard ways.passwords else { return }
        html.element("form", Attribute("method", literal: "post"), Attribute("action", layout.links.href(.login))) {
          fields(next, &$0)
        }
        html.element("p", .class("meta")) { html in
          html.text("Your administrator adds users with ")
          html.element("code", text: "plumb user add")
          html.text(".")
        }
      }
    }
  }

  private static func fields(_ next: String?, _ html: inout HTMLWriter) {
    html.literal(
      """
      <label for="user">User name</label>\
      <input id="user" name="user" autocomplete="username" autocapitalize="none" required/>\
      <label for="password">Password</label>\
      <input id="password" name="password" type="password" autocomplete="current-password" required/>
      """)
    if let next {
      html.leaf(
        "input", Attribute("type", literal: "hidden"), Attribute("name", literal: "next"), Attribute("value", next))
    }
    html.element("button", .class("button"), text: "Sign in")
  }
}

/// The page after a login with a provider, which redirects to the requested page.
enum SignedInView {
  /// The page as UTF-8. `next`: a path of this server, which begins with a slash.
  static func render(next: String, _ context: PageContext) -> [UInt8] {
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

/// The page after a user who signed in with a provider has signed out.
enum SignedOutView {
  /// The page as UTF-8. `label`: the label of the link that signs in with the provider.
  static func render(label: String, _ context: PageContext) -> [UInt8] {
    let layout = Layout(page: .login, title: "Signed out", context: context)
    return layout.render { html in
      html.element("div", .class("notice")) { html in
        html.element("h1", text: "Signed out")
        html.element(
          "p", text: "You are still signed in at the provider, so anyone who uses this browser can sign in again.")
        html.element("p") {
          $0.element("a", .class("button"), .href(layout.links.href(.providerSignOut)), text: "Sign out there")
        }
        html.element("p") { $0.element("a", .href(layout.links.href(.signIn(next: nil))), text: label) }
      }
    }
  }
}

/// The address of the login form. `Server` handles it, because it needs no data of pages.
enum LoginAddress: PageAddress {
  static let path: PathPattern = "login"
  static let parent: (any PageAddress.Type)? = nil
}

/// The address that starts a login with the provider.
enum SignInAddress: PageAddress {
  static let path: PathPattern = "login/oidc"
  static let parent: (any PageAddress.Type)? = nil
}

/// The address that redirects to the provider's sign-out page.
enum ProviderSignOutAddress: PageAddress {
  static let path: PathPattern = "login/oidc/logout"
  static let parent: (any PageAddress.Type)? = nil
}

enum LogoutAddress: PageAddress {
  static let path: PathPattern = "logout"
  static let parent: (any PageAddress.Type)? = nil
}

extension Page {
  static let login = Page(LoginAddress.self)
  static let logout = Page(LogoutAddress.self)
  static let providerSignOut = Page(ProviderSignOutAddress.self)
  /// Starts a login with the provider. `next`: the path to show afterwards.
  static func signIn(next: String?) -> Page { Page(SignInAddress.self, [], [("next", next)]) }
}

/// An error as a page, with what to do next.
enum ErrorView {
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
