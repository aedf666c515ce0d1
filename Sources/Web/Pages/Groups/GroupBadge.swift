import Analysis
import Core
import Storage

/// The state of a group as a word.
struct GroupBadge: Markup {
  var status: GroupStatus
  var isNew = false

  func write(to html: inout HTMLWriter) {
    switch status {
    case .open: if isNew { badge("badge broken", "new", &html) }
    case .regressed(let release): badge("badge broken", "regressed in \(ShortenedName.text(release))", &html)
    case .resolved(let release): badge("badge within", "resolved in \(ShortenedName.text(release))", &html)
    case .ignored: badge("badge", "ignored", &html)
    }
  }

  private func badge(_ style: StaticString, _ text: String, _ html: inout HTMLWriter) {
    html.element("span", .class(style), text: text)
  }
}
