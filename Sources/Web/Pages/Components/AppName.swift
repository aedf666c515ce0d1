import Core

/// An app as people know it: its icon, if it has one, and its title, else its bundle identifier.
struct AppName: Markup {
  var app: String
  var links: Links
  /// Whether the bundle identifier stands beside the title.
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
  /// The address of an app's icon. Its tag makes browsers ask for a changed one.
  func icon(of app: String, tag: String) -> String {
    switch style {
    case .served: asset(AppIdentity.iconPath.filled([app], PathEncoding.percent)) + "?v=" + tag
    case .files: asset(AppIdentity.iconPath.filled([app], PathEncoding.file))
    }
  }
}

extension PageContext {
  /// What people call an app, for a title.
  func name(of app: String) -> String { PlainName.text(identities[app]?.title ?? app) }
}
