extension Response {
  /// UTF-8 text; `type` is the media type, charset included.
  public static func text(
    _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8", headers: [(String, String)] = []
  ) -> Response {
    Response(status: status, headers: [("Content-Type", type)] + headers, body: [UInt8](text.utf8))
  }

  /// JSON that is already encoded.
  public static func json(_ bytes: [UInt8], status: Int = 200, headers: [(String, String)] = []) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json")] + headers, body: bytes)
  }

  /// JSON that is already encoded.
  public static func json(_ text: String, status: Int = 200, headers: [(String, String)] = []) -> Response {
    json([UInt8](text.utf8), status: status, headers: headers)
  }
}
