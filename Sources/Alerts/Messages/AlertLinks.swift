public import Storage

/// Absolute addresses of pages, as whoever knows the public URL makes them.
public struct AlertLinks: Sendable {
  /// The page to open first for an incident of an app; nil without a public URL.
  public var incident: @Sendable (Incident, _ app: String?) -> String?
  /// The page with all incidents.
  public var all: String?

  public init(all: String?, incident: @escaping @Sendable (Incident, _ app: String?) -> String?) {
    self.all = all
    self.incident = incident
  }

  /// Nobody told where the pages are.
  public static let none = AlertLinks(all: nil) { _, _ in nil }
}
