public import Core
public import Storage

/// The audit log: who decided what, and when. For administrators.
enum AuditView {
  /// The page as UTF-8. `entries`: those that match `filter`, the newest first.
  static func render(
    _ entries: [AuditEntry], _ filter: AuditFilter, asOf: Timestamp, _ context: PageContext
  ) -> [UInt8] {
    let layout = Layout(page: .audit, title: "Audit log", context: context, asOf: asOf)
    return layout.render { html in
      html.element("h1", text: "Audit log")
      html.element(
        "p", .class("summary"),
        text: "Every decision about a group, silence, key, app, token or user, from pages, programs and commands.")
      form(filter, layout.links, &html)
      guard !entries.isEmpty else { return html.element("p", text: "No entry matches.") }
      html.write(AuditTable(entries: entries))
      // A full page: there may be older ones.
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
      Table("The newest first", ["When", "By", "Action", "App", "What", "Detail"]) { html in
        for entry in entries {
          html.row { html in
            html.rowHead { $0.write(DateTime(entry.time)) }
            html.element("td") { html in
              html.text(entry.actor.kind.rawValue + " ")
              html.write(Name(entry.actor.name))
            }
            html.element("td", text: entry.event.action)
            html.element("td") { $0.write(Name(entry.event.app ?? "all")) }
            html.element("td") { $0.write(Name(entry.event.subject)) }
            html.element("td") { $0.element("bdi", text: entry.event.detail) }
          }
        }
      })
  }
}

extension AuditEntry {
  /// The JSON of the API and of `plumb audit`.
  public var json: JSONOutput {
    .object([
      ("id", .integer(id)), ("time", .string(time.iso)), ("by", .string(actor.kind.rawValue)),
      ("name", .string(actor.name)), ("action", .string(event.action)), ("app", .optional(event.app)),
      ("subject", .string(event.subject)), ("detail", .string(event.detail)),
    ])
  }
}
