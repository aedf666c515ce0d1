import CEmbeddedFiles

/// The static files of `Public`. They contain no data and are served without a login.
public enum PublicAssets {
  /// The files that pages load, by the name under which they are served.
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
    /// The file's bytes, unchanged.
    public let bytes: [UInt8]
  }
}
