import Analysis
import Core

/// An app's name: its icon, if any, and its title or else its bundle identifier.
struct AppName: Markup {
  var app: String
  var links: Links
  /// Whether to show the bundle identifier beside the title.
  var showsIdentifier = false

  func write(to html: inout HTMLWriter) {
    let identity = links.identities[app]
    if let tag = identity?.iconTag {
      html.leaf(
        "img", .class("app-icon"), Attribute("src", links.icon(of: app, tag: tag)), Attribute("alt", literal: ""),
        Attribute("width", 24), Attribute("height", 24))
    }
    html.write(Name(identity?.title ?? app))
    guard showsIdentifier, identity?.title != nil else { return }
    html.literal(" ")
    html.element("small") { $0.write(Name(app)) }
  }
}

extension Links {
  /// The address of an app's icon. Its tag makes browsers reload a changed icon.
  func icon(of app: String, tag: String) -> String {
    switch style {
    case .served: asset(AppTitleAndIcon.iconPath.filled([app], PathEncoding.percent)) + "?v=" + tag
    case .files: asset(AppTitleAndIcon.iconPath.filled([app], PathEncoding.file))
    }
  }
}

extension PageContext {
  /// The name of an app, for a title.
  func name(of app: String) -> String { ShortenedName.text(identities[app]?.title ?? app) }
}
