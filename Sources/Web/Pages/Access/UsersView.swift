import Core
import Storage

/// The users of the dashboard, for administrators.
struct UserList: Sendable {
  /// The name of the signed-in administrator.
  var admin: String
  var users: [User]
  /// The bundle identifiers of all apps.
  var apps: [AppID: String]
  /// Whether users may sign in with a provider or through a proxy, so that they need no password here.
  var allowsExternal: Bool
  /// The minimum length of a password in bytes.
  var shortestPassword: Int
  /// Why the last change failed; nil if it did not.
  var failure: String?
  var asOf: Timestamp
}

/// The page of users, with the forms that add, change and remove them.
enum UsersView {
  /// The page as UTF-8.
  static func render(_ list: UserList, _ context: PageContext) -> [UInt8] {
    let layout = Layout(page: .users, title: "Users", context: context, asOf: list.asOf)
    let form = UserForms(list: list, action: layout.links.href(.users))
    return layout.render { html in
      html.element("h1", text: "Users")
      html.element(
        "p", .class("summary"),
        text: "Readers can only view data. Editors can also resolve or ignore groups and silence alerts. Admins can "
          + "also delete data. If a user has a role on all apps and another on one app, the higher one applies. "
          + "Changes take effect with the user's next request.")
      if let failure = list.failure {
        html.element("p", .class("banner", "warning"), Attribute("role", literal: "alert")) {
          $0.element("bdi", text: failure)
        }
      }
      html.write(
        Table("Users by name", of: list.users) {
          Column.head("User") { user, html in
            html.write(Name(user.name))
            if user.name == list.admin { html.element("small", text: " you") }
          }
          Column("Since", text: \.created.iso)
          Column("Signs in with") { $0.passwordHash == nil ? "the provider" : "a password" }
          Column("Role") { roles($0, list, &$1) }
          Column("Change") { user, html in
            html.element("details") { html in
              html.element("summary", text: "Change")
              form.changes(of: user, &html)
            }
          }
        })
      html.element("section") { html in
        html.element("h2", text: "Add a user")
        form.add(&html)
      }
    }
  }

  private static func roles(_ user: User, _ list: UserList, _ html: inout HTMLWriter) {
    let all = user.roles.everywhere.map { ["\($0.rawValue) on all apps"] } ?? []
    let single = user.roles.apps.sorted { $0.key < $1.key }
      .map { "\($0.value.rawValue) on \(list.apps[$0.key] ?? "app \($0.key)")" }
    html.element("bdi", text: (all + single).isEmpty ? "no role" : (all + single).joined(separator: ", "))
    if user.hasRolesOfProvider { html.element("small", text: " from the provider's groups") }
  }
}

/// The forms of the page. Each posts `action` and the user's name.
private struct UserForms {
  var list: UserList
  var action: String

  func add(_ html: inout HTMLWriter) {
    form("add", nil, "Add", &html) { html in
      html.literal(
        """
        <label>Name <input name="user" maxlength="64" autocomplete="off" autocapitalize="none" required/></label>
        """)
      password(isRequired: !list.allowsExternal, &html)
      role(["reader", "editor", "admin"], &html)
      apps(&html)
    }
    let words =
      list.allowsExternal ? " Leave it empty for users who sign in with the provider." : ""
    html.element("p", .class("meta"), text: "A password needs at least \(list.shortestPassword) bytes.\(words)")
  }

  func changes(of user: User, _ html: inout HTMLWriter) {
    form("role", user, "Set role", &html) { html in
      role(["reader", "editor", "admin", "none"] + (user.passwordHash == nil ? ["provider"] : []), &html)
      apps(&html)
    }
    form("password", user, "Set password and end all logins", &html) { password(isRequired: true, &$0) }
    form("remove", user, "Remove user", &html) { html in
      html.literal("<label>Enter the name to confirm <input name=\"sure\" autocomplete=\"off\" required/></label>")
    }
  }

  private func form(
    _ kind: String, _ user: User?, _ button: String, _ html: inout HTMLWriter, _ fields: (inout HTMLWriter) -> Void
  ) {
    html.element("form", .class("decide"), Attribute("method", literal: "post"), Attribute("action", action)) { html in
      for (name, value) in [("action", kind), ("user", user?.name)] {
        guard let value else { continue }
        html.leaf("input", Attribute("type", literal: "hidden"), Attribute("name", name), Attribute("value", value))
      }
      fields(&html)
      html.element("button", .class("button"), text: button)
    }
  }

  private func password(isRequired: Bool, _ html: inout HTMLWriter) {
    html.element("label") { html in
      html.text("Password ")
      let words: [Attribute] = [
        Attribute("type", literal: "password"), Attribute("name", literal: "password"),
        Attribute("autocomplete", literal: "new-password"), Attribute("maxlength", 1024),
      ]
      if isRequired {
        html.leaf("input", words[0], words[1], words[2], words[3], .flag("required"))
      } else {
        html.leaf("input", words[0], words[1], words[2], words[3])
      }
    }
  }

  private func role(_ names: [String], _ html: inout HTMLWriter) {
    select("Role", "role", names.map { ($0, $0) }, &html)
  }

  private func apps(_ html: inout HTMLWriter) {
    select("On", "app", [("", "all apps")] + list.apps.values.sorted().map { ($0, $0) }, &html)
  }

  private func select(_ title: String, _ name: String, _ values: [(String, String)], _ html: inout HTMLWriter) {
    html.element("label") { html in
      html.text(title + " ")
      html.element("select", Attribute("name", name)) { html in
        for (value, text) in values {
          html.element("option", Attribute("value", value), text: ShortenedName.text(text, limit: 48))
        }
      }
    }
  }
}

/// The address of the users page and its forms. `Server` handles it.
enum UsersAddress: PageAddress {
  static let path: PathPattern = "account/users"
  static let parent: (any PageAddress.Type)? = AccountAddress.self
  static func breadcrumb(_ page: Page) -> String { "Users" }
}

extension Page {
  static let users = Page(UsersAddress.self)
}
