import Analysis
import Core
import Storage

/// A value of an attribute that a part of a release's use has, such as a flag that is on for some users.
struct AttributeValueUse: Sendable, Equatable {
  var filter: AttributeFilter
  /// Its share of the use with a value of the attribute: of sessions, or of payloads without sessions.
  var share: Double
}

/// The section with the values of attributes that only a part of the release's use has, each with the comparison of it
/// and all others.
struct AttributeValuesSection: Markup {
  var release: ReleaseModel
  var links: Links

  func write(to html: inout HTMLWriter) {
    guard !release.values.isEmpty, links.style == .served else { return }
    html.element("section") { html in
      html.element("h2", text: "Attributes")
      html.element("p", text: "Values that a part of its use has. Each link compares one value with all others.")
      html.element("ul") { html in
        for value in release.values {
          html.element("li") { html in
            html.element("a", .href(comparison(of: value.filter))) { html in
              html.write(Name("\(value.filter.name) = \(value.filter.value)"))
              html.text(" against all others")
            }
            html.text(": ")
            html.number(value.share, .ratio)
            html.text(" of the use")
          }
        }
      }
    }
  }

  private func comparison(of filter: AttributeFilter) -> String {
    var own = links
    own.filter.environment = release.environment
    own.filter.release = release.name
    own.filter.from = release.window.from
    own.filter.to = release.window.to
    return own.href(.compare(app: release.app, base: filter.inverted.text, head: filter.text))
  }
}
