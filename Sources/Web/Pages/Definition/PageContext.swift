public import Analysis
public import Core

/// The input of a view in addition to its model: links, filters, login state.
public struct PageContext: Sendable {
  /// Whether links are for a server or for static files.
  var linkStyle: LinkStyle
  /// When a static export was made, which its pages show in a banner; nil on a server.
  var renderedAt: Timestamp?
  /// Whether a user is signed in, so that the page links to the account and to signing out.
  var isSignedIn: Bool
  /// Whether a proxy signed the user in, so that only the proxy can sign the user out.
  var isSignedInByProxy = false
  /// Whether that user may decide about groups of the page's app.
  var canEdit: Bool
  /// The titles and icons of the apps that the page may name, by bundle identifier.
  var identities: [String: AppTitleAndIcon] = [:]
  /// The requested filters. Links between the pages of an app keep them.
  var filter: ReportQuery
  /// The values that filters offer; nil for a page without a filter form.
  var choices: FilterChoices?
  /// The error in the budget file that prevents verdicts; nil without an error.
  var budgetError: String?
  /// The number of open incidents of the page's app, shown in the navigation.
  var openIncidents = 0
  /// A warning about the server, shown on every page; nil if there is none.
  var serverWarning: String?
  /// The path of the stylesheet, relative to the root of the site.
  var stylesheet: String
  /// The path of the icon, relative to the root of the site.
  var icon: String
  /// The path of the script that reloads waiting pages, relative to the root of the site.
  var script: String
  /// The server's public address, for the command on the empty first page.
  var serverURL: String
  /// The path prefix of the server in every link, such as `/plumb`; empty at the root of a host.
  var mountPath: String

  /// The defaults are those of a page served to a client without a login.
  public init(
    linkStyle: LinkStyle = .served, renderedAt: Timestamp? = nil, isSignedIn: Bool = false,
    canEdit: Bool = false, filter: ReportQuery = .init(), choices: FilterChoices? = nil, budgetError: String? = nil,
    stylesheet: String = "plumb.css",
    icon: String = "favicon.svg", script: String = "plumb.js", serverURL: String = "http://127.0.0.1:8080",
    mountPath: String = ""
  ) {
    self.mountPath = mountPath
    self.linkStyle = linkStyle
    self.renderedAt = renderedAt
    self.isSignedIn = isSignedIn
    self.canEdit = canEdit
    self.filter = filter
    self.choices = choices
    self.budgetError = budgetError
    self.stylesheet = stylesheet
    self.icon = icon
    self.script = script
    self.serverURL = serverURL
  }
}
