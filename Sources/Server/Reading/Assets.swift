import HTTP
import PublicAssets

/// The files of `Public/`, made ready once.
struct Assets: Sendable {
  private let files: [String: (response: Response, tag: String)]

  init() {
    var files: [String: (response: Response, tag: String)] = [:]
    for asset in PublicAssets.all {
      let tag = PageCache.tag(of: asset.bytes)
      let headers = [("Content-Type", asset.mediaType), ("ETag", tag), ("Cache-Control", "public, max-age=300")]
      let response = Response(status: 200, headers: headers + Security.headers, body: asset.bytes)
      files["/" + asset.name] = (response.prepared(), tag)
    }
    self.files = files
  }

  func response(_ path: String, ifNoneMatch: String?) -> Response? {
    guard let file = files[path] else { return nil }
    return ifNoneMatch == file.tag ? Response(status: 304, headers: [("ETag", file.tag)]) : file.response
  }
}
