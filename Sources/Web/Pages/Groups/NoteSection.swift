import Analysis
import Core
import Storage

/// The note about a group, its owner, and the form to change them. Viewers who may not edit see the command instead.
struct NoteSection: Markup {
  var app: String
  var group: GroupSummary
  var canEdit: Bool
  /// The path prefix of the server.
  var mountPath = ""

  func write(to html: inout HTMLWriter) {
    html.element("section") { html in
      html.element("h2", text: "Note")
      if let note = group.note { shown(note, &html) }
      html.element("details") { html in
        html.element("summary", text: group.note == nil ? "Set an owner or write a note" : "Change owner or note")
        if canEdit { form(&html) } else { html.element("pre", text: command) }
      }
    }
  }

  private func shown(_ note: GroupNote, _ html: inout HTMLWriter) {
    html.element("div", .class("card")) { html in
      if !note.owner.isEmpty {
        html.element("p") { html in
          html.element("strong", text: "Owner: ")
          html.element("bdi", text: note.owner)
        }
      }
      if !note.text.isEmpty { html.element("p", .class("written")) { $0.element("bdi", text: note.text) } }
      html.element("p", .class("meta")) { html in
        html.write(Name(note.author.isEmpty ? "Unknown" : note.author))
        html.text(", ")
        html.write(TimeElement(note.changed))
      }
    }
  }

  private func form(_ html: inout HTMLWriter) {
    let address = mountPath + Page.group(app: app, id: group.id).path
    html.element("form", .class("noting"), Attribute("method", literal: "post"), Attribute("action", address)) { html in
      html.element("label") { html in
        html.text("Owner ")
        html.leaf(
          "input", Attribute("name", literal: "owner"), Attribute("value", group.note?.owner ?? ""),
          Attribute("maxlength", Double(GroupNote.longestOwner)), Attribute("autocomplete", literal: "off"))
      }
      html.element("label") { html in
        html.text("Note ")
        html.element(
          "textarea", Attribute("name", literal: "note"), Attribute("rows", literal: "4"),
          Attribute("maxlength", Double(GroupNote.longestText)),
          // A browser drops the first newline of the content.
          text: "\n" + (group.note?.text ?? ""))
      }
      html.element("button", .class("button"), text: "Save")
    }
  }

  private var command: String {
    "plumb groups note \(group.id) --app \(ShortenedName.text(app)) --owner NAME --text TEXT"
  }
}

/// The owner of a group and the beginning of its note, for a list.
struct NoteLine: Markup {
  var note: GroupNote

  func write(to html: inout HTMLWriter) {
    html.element("small", .class("noted")) { html in
      if !note.owner.isEmpty {
        html.text("Owner: ")
        html.write(Name(note.owner))
        if !note.text.isEmpty { html.text(" · ") }
      }
      if !note.text.isEmpty { html.write(Name(note.text)) }
    }
  }
}
