/// The static files, shipped inside the binary. They hold no data, so that nobody needs a login for them.
public enum PublicAssets {
  /// Every file of the folder, by the name it is served under.
  public static let all = ofPages + [openAPI]

  /// The description of the API.
  public static let openAPI = Asset(
    name: "openapi.json", mediaType: "application/json", bytes: PackageResources.openapi_json)

  /// What the pages of the dashboard need.
  public static let ofPages: [Asset] = [
    Asset(name: "plumb.css", mediaType: "text/css; charset=utf-8", bytes: PackageResources.plumb_css),
    Asset(name: "plumb.js", mediaType: "text/javascript; charset=utf-8", bytes: PackageResources.plumb_js),
    Asset(name: "favicon.svg", mediaType: "image/svg+xml", bytes: PackageResources.favicon_svg),
  ]

  /// One static file.
  public struct Asset: Sendable {
    /// `plumb.css`
    public let name: String
    /// What `Content-Type` says.
    public let mediaType: String
    /// The file as it is.
    public let bytes: [UInt8]
  }
}
