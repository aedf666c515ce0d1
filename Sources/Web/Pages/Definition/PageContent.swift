import Analysis
import Core

/// The content of a response.
public struct PageContent {
  /// The media type.
  let type: String
  /// The HTTP status: 400 for a page that says why what was asked for is impossible.
  var status = 200
  /// Renders the bytes. Called once, after the snapshot of the data is closed.
  public let render: () -> [UInt8]
  /// Whether the response may be cached; false for a page that waits for data.
  var isLasting = true
  /// Whether the page shows ingest keys.
  var holdsSecrets = false
  /// Seconds after which the browser reloads the page; nil for no reload.
  var refresh: Int?

  init(type: String, isLasting: Bool = true, holdsSecrets: Bool = false, render: @escaping () -> [UInt8]) {
    self.type = type
    self.isLasting = isLasting
    self.holdsSecrets = holdsSecrets
    self.render = render
  }
}

extension PageDefinition {
  /// The page as the server sends it; nil if there is nothing at the address.
  public static func content(_ request: PageRequest, _ context: PageContext) throws -> PageContent? {
    if let wall, let look = request.parameter("wall") {
      guard ["", "light"].contains(look) else {
        throw InvalidQuery(detail: "wall: expected no value or light, found \"\(look)\"", parameter: "wall")
      }
      return try wall.content(request, context)
    }
    guard let answer = try answer(request, context) else { return nil }
    var content = PageContent(
      type: "text/html; charset=utf-8", isLasting: isLasting(answer.model), holdsSecrets: holdsSecrets
    ) { view(answer.model, answer.context) }
    content.status = status(answer.model)
    content.refresh = answer.model is WallModel ? WallModel.refresh : nil
    return content
  }
}
