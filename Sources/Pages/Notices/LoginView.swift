import HTML

/// The form to sign in.
public enum LoginView {
  /// The ways to sign in.
  public struct Ways: Sendable {
    public var passwords: Bool
    /// The words on the button of the provider; nil without one.
    public var provider: String?

    public init(passwords: Bool = true, provider: String? = nil) {
      self.passwords = passwords
      self.provider = provider
    }
  }

  /// The page as UTF-8. `failure`: why the last attempt failed. `next`: the path to redirect to after the login; the
  /// server must accept only its own paths.
  public static func render(
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

/// The address of the login form. `Server` handles it, because it needs no data of pages.
enum LoginAddress: PageAddress {
  static let path: PathPattern = "login"
  static let parent: (any PageAddress.Type)? = nil
}

/// The address that begins a login with the provider.
enum SignInAddress: PageAddress {
  static let path: PathPattern = "login/oidc"
  static let parent: (any PageAddress.Type)? = nil
}

enum LogoutAddress: PageAddress {
  static let path: PathPattern = "logout"
  static let parent: (any PageAddress.Type)? = nil
}

extension Page {
  public static let login = Page(LoginAddress.self)
  public static let logout = Page(LogoutAddress.self)
  /// Begins a login with the provider. `next`: the path to show afterwards.
  static func signIn(next: String?) -> Page { Page(SignInAddress.self, [], [("next", next)]) }
}
