/// The static files of `Public`. They hold no data, and are served without a login.
public enum PublicAssets {
  /// What pages need, by the name it is served under.
  public static let all = EmbeddedFile.all(in: "Public").map { file in
    Asset(name: file.name, mediaType: mediaType(of: file.name), bytes: file.bytes)
  }

  private static func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/octet-stream"
    }
  }

  /// One static file.
  public struct Asset: Sendable {
    /// `plumb.css`
    public let name: String
    /// The value of `Content-Type`.
    public let mediaType: String
    /// The file as it is.
    public let bytes: [UInt8]
  }
}
