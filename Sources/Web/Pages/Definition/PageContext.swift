public import Analysis
public import Core

/// The input of a view besides its model: links, filters, login state.
public struct PageContext: Sendable {
  /// Whether links are for a server or for static files.
  var linkStyle: LinkStyle
  /// When a static export was made, which its pages show in a banner; nil on a server.
  var renderedAt: Timestamp?
  /// Whether a user is logged in, so that the page offers the account and to log out.
  var isSignedIn: Bool
  /// Whether a proxy logged the user in, so that only the proxy can log out.
  var isSignedInByProxy = false
  /// Whether that user may decide about groups of the page's app.
  var canEdit: Bool
  /// The titles and icons of the apps that the page may name, by bundle identifier.
  var identities: [String: AppIdentity] = [:]
  /// The requested filters. Links between the pages of an app keep them.
  var filter: ReportQuery
  /// The values that filters offer; nil for a page without a filter form.
  var choices: FilterChoices?
  /// The error in the budget file, because of which there are no verdicts; nil without an error.
  var budgetError: String?
  /// The number of open incidents of the page's app, shown in the navigation.
  var openIncidents = 0
  /// What is wrong with the server, which every page says; nil while nothing is.
  var serverWarning: String?
  /// The path of the stylesheet, relative to the root of the site.
  var stylesheet: String
  /// The path of the icon, relative to the root of the site.
  var icon: String
  /// The path of the script that reloads waiting pages, relative to the root of the site.
  var script: String
  /// The server's public address, for the command that the empty first page shows.
  var serverURL: String
  /// The path below which clients reach the server, which begins every link: `/plumb`; empty at the root of a host.
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
