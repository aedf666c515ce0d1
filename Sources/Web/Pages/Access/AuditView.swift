import Core
import Storage

/// The audit log, for administrators: every decision with its author and time.
enum AuditView {
  /// The page as UTF-8. `entries`: the entries that match `filter`, newest first.
  static func render(
    _ entries: [AuditEntry], _ filter: AuditFilter, asOf: Timestamp, _ context: PageContext
  ) -> [UInt8] {
    let layout = Layout(page: .audit, title: "Audit log", context: context, asOf: asOf)
    return layout.render { html in
      html.element("h1", text: "Audit log")
      html.element(
        "p", .class("summary"),
        text: "Changes to groups, silences, keys, apps, tokens and users, made on pages, over the API or by commands.")
      form(filter, layout.links, &html)
      guard !entries.isEmpty else { return html.element("p", text: "No entries match.") }
      html.write(AuditTable(entries: entries))
      // A full page, so there may be older entries.
      if entries.count == filter.limit, let last = entries.last {
        var older = filter
        older.before = last.id
        html.element("p") { $0.element("a", .href(layout.links.href(.audit(older))), text: "Older entries") }
      }
    }
  }

  private static func form(_ filter: AuditFilter, _ links: Links, _ html: inout HTMLWriter) {
    html.element("form", .class("choose"), Attribute("method", literal: "get"), Attribute("action", links.href(.audit)))
    {
      html in
      for (name, title, value) in [
        ("app", "App", filter.app), ("who", "By", filter.actor), ("action", "Action", filter.action),
      ] {
        html.element("label") { html in
          html.text(title + " ")
          html.leaf(
            "input", Attribute("name", name), Attribute("value", value ?? ""), Attribute("maxlength", 200),
            Attribute("autocomplete", literal: "off"))
        }
      }
      html.element("button", .class("button"), text: "Show")
      html.element("a", .href(links.href(.audit)), text: "Clear filters")
    }
  }
}

/// The entries of the audit log as a table.
struct AuditTable: Markup {
  var entries: [AuditEntry]

  func write(to html: inout HTMLWriter) {
    html.write(
      Table("Newest first", of: entries) {
        Column.head("When") { $1.write(DateTime($0.time)) }
        Column("By") { entry, html in
          html.text(entry.actor.kind.rawValue + " ")
          html.write(Name(entry.actor.name))
        }
        Column("Action", text: \.event.action)
        Column("App") { $1.write(Name($0.event.app ?? "all")) }
        Column("Subject") { $1.write(Name($0.event.subject)) }
        Column("Detail") { $1.element("bdi", text: $0.event.detail) }
      })
  }
}

enum AuditAddress: PageAddress {
  static let path: PathPattern = "audit"
  static let parent: (any PageAddress.Type)? = AccountAddress.self
  static func breadcrumb(_ page: Page) -> String { "Audit log" }
}

extension Page {
  /// The first page of the audit log.
  static let audit = Page(AuditAddress.self)
  /// The audit log with a filter, or one of its older pages.
  static func audit(_ filter: AuditFilter) -> Page {
    Page(
      AuditAddress.self, [],
      [
        ("app", filter.app), ("who", filter.actor), ("action", filter.action),
        ("before", filter.before.map(String.init)),
      ])
  }
}
