import Core

/// The static files in `Public/` and the description of the API, as prepared responses.
struct Assets: Sendable {
  private let plain: [String: File]
  private let packed: [String: File]

  private struct File {
    let response: Response
    let tag: String
  }

  /// Prepares the responses. `mountPath`: the path below which clients reach the server, for the description of the
  /// API.
  init(mountPath: String) {
    let assets =
      PublicAssets.all.map { ($0.name, $0.mediaType, $0.bytes) }
      + [("openapi.json", "application/json", APIDescription.document(mountPath: mountPath))]
    plain = Self.files(assets, gzip: false)
    packed = Self.files(assets, gzip: true)
  }

  private static func files(_ assets: [(String, String, [UInt8])], gzip: Bool) -> [String: File] {
    assets.reduce(into: [:]) { files, asset in
      let (name, type, bytes) = asset
      let body = EncodedBody(bytes, gzip: gzip)
      let headers = [
        ("Content-Type", type), ("ETag", body.tag), caching, ("Vary", "Accept-Encoding"),
      ]
      let response = Response(status: 200, headers: headers + body.headers + SecurityHeaders.headers, body: body.bytes)
      files["/" + name] = File(response: response.prepared(), tag: body.tag)
    }
  }

  private static let caching = ("Cache-Control", "public, max-age=300")

  /// The paths of all files.
  var paths: [String] { plain.keys.sorted() }

  func file(_ call: RoutedRequest) -> Response {
    let request = call.request
    let gzip = AcceptHeader.allowsGzip(request.header("Accept-Encoding"))
    guard let file = (gzip ? packed : plain)[request.path] else { return ErrorResponses(request).notFound }
    guard EntityTag.matches(request.header("If-None-Match"), file.tag) else { return file.response }
    return Response(status: 304, headers: [("ETag", file.tag), Self.caching])
  }
}
