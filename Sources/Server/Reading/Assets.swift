import HTTP
import PublicAssets

/// The files of `Public/`, made ready once.
struct Assets: Sendable {
  private let files: [String: (response: Response, tag: String)]

  init() {
    var files: [String: (response: Response, tag: String)] = [:]
    for asset in PublicAssets.all {
      let tag = EntityTag.of(asset.bytes)
      let headers = [("Content-Type", asset.mediaType), ("ETag", tag), Self.caching]
      let response = Response(status: 200, headers: headers + Security.headers, body: asset.bytes)
      files["/" + asset.name] = (response.prepared(), tag)
    }
    self.files = files
  }

  private static let caching = ("Cache-Control", "public, max-age=300")

  func response(_ path: String, ifNoneMatch: String?) -> Response? {
    guard let file = files[path] else { return nil }
    guard EntityTag.matches(ifNoneMatch, file.tag) else { return file.response }
    return Response(status: 304, headers: [("ETag", file.tag), Self.caching])
  }
}
