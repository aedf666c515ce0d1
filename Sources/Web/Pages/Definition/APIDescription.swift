import Core

/// The API's description, `openapi.json`. The file in `Public` describes routes with schemas and examples; a declared
/// route that is missing there gets an entry made from its declaration.
enum APIDescription {
  /// `mountPath`: the path below which clients reach the server; empty at the root of a host.
  static func complete(_ document: [UInt8], mountPath: String = "") -> [UInt8] {
    let complete = complete(document, PageList.endpoints)
    guard !mountPath.isEmpty else { return complete }
    return complete.replacing(
      Array(serverAtRoot.utf8), with: Array("\"url\": \"\(mountPath)\"".utf8), maxReplacements: 1)
  }

  /// How the document in `Public` names the server that serves it.
  static let serverAtRoot = "\"url\": \"/\""

  static func complete(_ document: [UInt8], _ endpoints: [DataEndpoint]) -> [UInt8] {
    let text = String(decoding: document, as: UTF8.self)
    let missing = endpoints.filter { !text.contains("\"\(path(of: $0))\": {") }
    guard !missing.isEmpty, let end = text.firstRange(of: endOfPaths) else { return document }
    let entries = missing.map { endpoint in
      ",\n  \"\(path(of: endpoint))\": " + String(decoding: operations(endpoint).encoded(), as: UTF8.self)
    }
    return Array((text[..<end.lowerBound] + entries.joined() + text[end.lowerBound...]).utf8)
  }

  private static let endOfPaths = "\n },\n \"components\": {"

  private static func path(of endpoint: DataEndpoint) -> String { "/api/v1/" + endpoint.path.description }

  private static func operations(_ endpoint: DataEndpoint) -> JSONOutput {
    let path = endpoint.path.description
    let arguments = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    let errors = [
      ("304", "NotModified"), ("400", "BadRequest"), ("401", "Unauthorized"), ("404", "NotFound"),
      ("405", "MethodNotAllowed"), ("409", "Conflict"), ("500", "Failure"), ("503", "Busy"),
    ]
    return .object([
      (
        "get",
        .object([
          ("operationId", .string("get_" + String(path.map { $0.isLetter ? $0 : "_" }))), ("summary", .string(path)),
          (
            "parameters",
            .array(
              arguments.map { parameter($0, in: "path") } + endpoint.parameters.map { parameter($0, in: "query") })
          ),
          (
            "responses",
            .object(
              [("200", answer(hasTable: endpoint.hasTable))]
                + errors.map { ($0, .object([("$ref", .string("#/components/responses/\($1)"))])) })
          ),
        ])
      )
    ])
  }

  private static func parameter(_ name: String, in location: String) -> JSONOutput {
    .object([
      ("name", .string(name)), ("in", .string(location)), ("required", .bool(location == "path")),
      ("schema", .object([("type", .string("string"))])),
    ])
  }

  private static func answer(hasTable: Bool) -> JSONOutput {
    func content(_ type: String, _ example: JSONOutput) -> JSONOutput {
      .object([("schema", .object([("type", .string(type))])), ("example", example)])
    }
    let json = ("application/json", content("object", .object([("schema", .count(1))])))
    let csv = ("text/csv", content("string", .string("name\r\n")))
    return .object([
      ("description", .string("The answer.")), ("content", .object(hasTable ? [json, csv] : [json])),
    ])
  }
}
