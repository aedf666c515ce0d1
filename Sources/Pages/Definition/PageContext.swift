public import Health
public import Telemetry

/// What a page needs to know beside its numbers.
public struct PageContext: Sendable {
  /// How pages point at each other.
  public var linkStyle: LinkStyle
  /// When a static export was made: its pages say so in a banner. Nil for a served page.
  public var renderedAt: Timestamp?
  /// A person is signed in: the page offers to sign out.
  public var isSignedIn: Bool
  /// What the numbers were asked to be narrowed by. Links between the pages of an app keep it.
  public var filter: ReportQuery
  /// What filters can be set to; nil for a page without a form.
  public var choices: FilterChoices?
  /// Why nothing on the page is judged; nil when it is.
  public var budgetError: String?
  /// The stylesheet, seen from the root of the site.
  public var stylesheet: String
  /// The icon, seen from the root of the site.
  public var icon: String
  /// The script of the pages that wait for something, seen from the root of the site.
  public var script: String
  /// The address apps send to, for the command the empty first page shows.
  public var serverURL: String

  /// By default a page as it is served to a client without a login.
  public init(
    linkStyle: LinkStyle = .served, renderedAt: Timestamp? = nil, isSignedIn: Bool = false,
    filter: ReportQuery = .init(), choices: FilterChoices? = nil, budgetError: String? = nil,
    stylesheet: String = "plumb.css",
    icon: String = "favicon.svg", script: String = "plumb.js", serverURL: String = "http://127.0.0.1:8080"
  ) {
    self.linkStyle = linkStyle
    self.renderedAt = renderedAt
    self.isSignedIn = isSignedIn
    self.filter = filter
    self.choices = choices
    self.budgetError = budgetError
    self.stylesheet = stylesheet
    self.icon = icon
    self.script = script
    self.serverURL = serverURL
  }
}
