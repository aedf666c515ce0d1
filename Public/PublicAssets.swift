/// The static files of the dashboard, shipped inside the binary.
public enum PublicAssets {
  /// Every file of the folder, by the name it is served under.
  public static let all: [Asset] = [
    Asset(name: "plumb.css", mediaType: "text/css; charset=utf-8", bytes: PackageResources.plumb_css),
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
