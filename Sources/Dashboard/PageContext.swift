public import Telemetry

/// What a page needs to know beside its numbers.
public struct PageContext: Sendable {
  /// How pages point at each other.
  public var linkStyle: LinkStyle
  /// When a static export was made: its pages say so in a banner. Nil for a served page.
  public var renderedAt: Timestamp?
  /// A person is signed in: the page offers to sign out.
  public var isSignedIn: Bool
  /// The stylesheet, seen from the root of the site.
  public var stylesheet: String
  /// The icon, seen from the root of the site.
  public var icon: String
  /// The address apps send to, for the command the empty first page shows.
  public var serverURL: String

  /// A served page for nobody in particular, unless told otherwise.
  public init(
    linkStyle: LinkStyle = .served, renderedAt: Timestamp? = nil, isSignedIn: Bool = false,
    stylesheet: String = "plumb.css", icon: String = "favicon.svg", serverURL: String = "http://127.0.0.1:8080"
  ) {
    self.linkStyle = linkStyle
    self.renderedAt = renderedAt
    self.isSignedIn = isSignedIn
    self.stylesheet = stylesheet
    self.icon = icon
    self.serverURL = serverURL
  }
}
