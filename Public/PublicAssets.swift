/// The files of this folder that the server sends and a static export copies.
public enum PublicAssets {
  /// A file: its name in the folder, its media type, its bytes.
  public struct Asset: Sendable {
    public let name: String
    public let type: String
    public let bytes: [UInt8]
  }

  /// Every file.
  public static let all: [Asset] = [
    Asset(name: "plumb.css", type: "text/css; charset=utf-8", bytes: PackageResources.plumb_css),
    Asset(name: "favicon.svg", type: "image/svg+xml", bytes: PackageResources.favicon_svg),
  ]
}
