public import Storage

/// Builds the absolute URLs of dashboard pages for messages.
public struct AlertLinks: Sendable {
  /// Returns the URL of the page about an incident of an app; nil without a public URL.
  var incident: @Sendable (Incident, _ app: String?) -> String?
  /// Returns the URL of the page that lists the incidents of an app, or of all apps; nil without a public URL.
  var overview: @Sendable (_ app: String?) -> String?

  public init(
    overview: @escaping @Sendable (_ app: String?) -> String?,
    incident: @escaping @Sendable (Incident, _ app: String?) -> String?
  ) {
    self.overview = overview
    self.incident = incident
  }

  /// No links, for a server without a public URL.
  public static let none = AlertLinks(overview: { _ in nil }, incident: { _, _ in nil })
}
