import Core
import Storage

/// The logins of one user or, for administrators, of all users.
struct LoginList: Sendable {
  /// The name of the signed-in user.
  var user: String
  /// Whether all users are listed.
  var isOfAll: Bool
  /// Whether the user may see the logins of others and the audit log.
  var isAdmin: Bool
  var logins: [LoginSession]
  /// The id of the login that requests the page; nil if a proxy signed the user in.
  var current: String?
  var asOf: Timestamp
}

/// The page of logins, each with a button that ends it.
enum LoginSessionsView {
  /// The page as UTF-8.
  static func render(_ list: LoginList, _ context: PageContext) -> [UInt8] {
    let title = list.isOfAll ? "All logins" : "Your logins"
    let page: Page = list.isOfAll ? .allLogins : .account
    let layout = Layout(page: page, title: title, context: context, asOf: list.asOf)
    return layout.render { html in
      html.element("h1", text: title)
      html.element("p", .class("summary")) { html in
        html.text("You are ")
        html.write(Name(list.user))
        html.text(list.isAdmin ? ", an administrator." : ".")
      }
      if list.isAdmin {
        html.element("ul", .class("slice")) { html in
          let other: (Page, String) = list.isOfAll ? (.account, "Your logins") : (.allLogins, "All logins")
          for (page, text) in [other, (.users, "Users"), (.audit, "Audit log")] {
            html.element("li") { $0.element("a", .href(layout.links.href(page)), text: text) }
          }
        }
      }
      guard !list.logins.isEmpty else {
        return html.element("p", text: "No active logins. Plumb does not list users who sign in through a proxy.")
      }
      html.write(LoginTable(list: list, links: layout.links))
    }
  }
}

/// A table of logins.
struct LoginTable: Markup {
  var list: LoginList
  var links: Links

  func write(to html: inout HTMLWriter) {
    html.write(
      Table("Newest first", of: list.logins) {
        if list.isOfAll { Column.head("User") { $1.write(Name($0.user)) } }
        Column("Since") { $0.created?.iso ?? "unknown" }
        Column("Last used") { $0.lastUsed?.iso ?? "unknown" }
        Column("Expires") { $1.write(DateTime($0.expires)) }
        Column("Browser") { login, html in
          html.write(Name(login.client.isEmpty ? "unknown" : login.client))
          if login.id == list.current { html.element("small", text: " this login") }
        }
        Column("End login", content: end)
      })
  }

  private func end(_ login: LoginSession, _ html: inout HTMLWriter) {
    html.element("form", Attribute("method", literal: "post"), Attribute("action", links.href(.endLogin))) { html in
      for (name, value) in [("user", login.user), ("login", login.id)] {
        html.leaf("input", Attribute("type", literal: "hidden"), Attribute("name", name), Attribute("value", value))
      }
      if list.isOfAll { html.literal("<input type=\"hidden\" name=\"from\" value=\"all\"/>") }
      html.element("button", .class("quiet"), Attribute("aria-label", "End the login \(login.id)"), text: "End")
    }
  }
}

/// The addresses of logins and the audit log. `Server` handles them, because a static export must not contain them.
enum AccountAddress: PageAddress {
  static let path: PathPattern = "account"
  static func breadcrumb(_ page: Page) -> String { "Account" }
}

enum AllLoginsAddress: PageAddress {
  static let path: PathPattern = "account/all"
  static let parent: (any PageAddress.Type)? = AccountAddress.self
  static func breadcrumb(_ page: Page) -> String { "All logins" }
}

enum EndLoginAddress: PageAddress {
  static let path: PathPattern = "account/end-login"
}

extension Page {
  static let account = Page(AccountAddress.self)
  static let allLogins = Page(AllLoginsAddress.self)
  static let endLogin = Page(EndLoginAddress.self)
}
