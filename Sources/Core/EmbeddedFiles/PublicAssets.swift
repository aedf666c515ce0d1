/// The static files of `Public`. They hold no data, and are served without a login.
public enum PublicAssets {
  /// Every file of the folder, by the name it is served under.
  public static let all = EmbeddedFile.all(in: "Public").map { file in
    Asset(name: file.name, mediaType: mediaType(of: file.name), bytes: file.bytes)
  }

  /// The description of the API.
  public static let openAPI: Asset = {
    guard let found = all.first(where: { $0.name == "openapi.json" }) else {
      preconditionFailure("openapi.json is not embedded.")
    }
    return found
  }()

  /// What the pages of the dashboard need.
  public static let ofPages = all.filter { $0.name != openAPI.name }

  private static func mediaType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "application/json"
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
