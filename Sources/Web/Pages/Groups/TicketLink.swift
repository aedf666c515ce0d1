import Analysis
import Core
import Storage

/// A link to the team's issue tracker, filled in with a group's data.
struct TicketLink: Markup {
  var model: GroupDetail
  /// The public address of the server, including its path prefix.
  var serverURL: String

  func write(to html: inout HTMLWriter) {
    guard let template = model.ticket else { return }
    html.element("p") { html in
      html.element(
        "a", .class("button"), .href(template.address(value)), Attribute("rel", literal: "noopener noreferrer"),
        text: template.isOfNewTicket ? "New ticket" : "Open in tracker")
    }
  }

  private func value(_ name: TicketTemplate.Placeholder) -> String {
    let group = model.group
    return switch name {
    case .title: SanitizedText.name(group.title)
    case .url: serverURL + Page.group(app: model.app, id: group.id).path
    case .release: SanitizedText.name(model.releases.last { $0.release.utf8.first != UInt8(ascii: "(") }?.release ?? "")
    case .signature: group.id
    case .kind: group.kind.name
    case .app: model.app
    }
  }
}
