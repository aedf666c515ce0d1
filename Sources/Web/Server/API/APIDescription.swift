import Core

/// The API's description, `openapi.json`: OpenAPI 3.1, generated from the declared operations. A test compares it with
/// the copy in `Public/openapi.json`; `RECORD=1 make test` rewrites that copy.
public struct APIDescription {
  private var catalog = SchemaCatalog()
  private var parameters: [(String, JSONOutput)] = []
  private var responses: [(String, JSONOutput)] = []

  /// The document. `mountPath`: the path below which clients reach the server; empty at the root of a host.
  public static func document(mountPath: String = "") -> [UInt8] {
    var description = APIDescription()
    let output = description.document(server: mountPath.isEmpty ? "/" : mountPath)
    return Array(output.readable(margin: "").utf8) + [UInt8(ascii: "\n")]
  }

  static var operations: [APIOperation] {
    PageList.endpoints.map(\.operation) + PageRoutes.operations + TriageRoutes.operations + GateRoutes.operations
      + DeletionRoutes.operations + LabRoutes.operations + SymbolUploads.operations + SentryDebugFileUploads.operations
  }

  private mutating func document(server: String) -> JSONOutput {
    let byPath = Dictionary(grouping: Self.operations, by: \.path)
    var seen: Set<String> = []
    let paths = Self.operations.map(\.path).filter { seen.insert($0).inserted }.map { path in
      (path, JSONOutput.object((byPath[path] ?? []).map { ($0.method, operation($0)) }))
    }
    let components: [(String, JSONOutput)] = [
      ("securitySchemes", .object(Self.securitySchemes)), ("parameters", .object(parameters)),
      ("responses", .object(responses)), ("schemas", .object(catalog.schemas.map { ($0.name, $0.schema) })),
    ]
    return .object([
      ("openapi", "3.1.0"), ("info", Self.info),
      (
        "servers",
        .array([
          .object([("url", .string(server)), ("description", "The server that serves this document.")])
        ])
      ),
      ("security", Self.security(["readToken", "login"])), ("paths", .object(paths)),
      ("components", .object(components)),
    ])
  }

  private static let info = JSONOutput.object([
    ("title", "Plumb"), ("version", "1"), ("summary", "The vitals of iOS apps."),
    (
      "description",
      .string(
        "Reads the data that the pages show. Unknown values are null, never 0 and never absent. New members may be "
          + "added; ignore unknown ones. Responses may be up to 3 seconds old. For sending data, see docs/api.md.")
    ), ("license", .object([("name", "Apache-2.0"), ("identifier", "Apache-2.0")])),
  ])

  private static let securitySchemes: [(String, JSONOutput)] = [
    ("readToken", bearer("`plumb token add NAME` creates a read token; `--scope` adds other rights.")),
    (
      "login",
      .object([
        ("type", "apiKey"), ("in", "cookie"), ("name", "__Host-plumb"),
        ("description", "The cookie that a login at `/login` sets."),
      ])
    ), ("uploadToken", bearer("`plumb token add NAME --uploads` creates an upload token.")),
    ("labToken", bearer("`plumb token add NAME --scope lab` creates one. It can only add runs of performance tests.")),
    (
      "deleteToken",
      bearer(
        "`plumb token add NAME --scope delete` creates one. It can delete data, and read only its own requests.")
    ),
  ]

  private static func bearer(_ about: String) -> JSONOutput {
    .object([("type", "http"), ("scheme", "bearer"), ("description", .string(about))])
  }

  private static func security(_ names: [String]) -> JSONOutput {
    .array(names.map { .object([($0, .array([]))]) })
  }

  private mutating func operation(_ operation: APIOperation) -> JSONOutput {
    var members: [(String, JSONOutput)] = [
      ("operationId", .string(operation.id)), ("summary", .string(operation.summary)),
      ("description", .string(operation.about)),
    ]
    if operation.isDeprecated { members.append(("deprecated", .bool(true))) }
    if let security = operation.security { members.append(("security", Self.security(security))) }
    if !operation.parameters.isEmpty {
      members.append(("parameters", .array(operation.parameters.map { parameter($0) })))
    }
    if let body = operation.body {
      let about: [(String, JSONOutput)] = body.about.map { [("description", .string($0))] } ?? []
      members.append(
        ("requestBody", .object([("required", .bool(body.isRequired))] + about + [("content", content(body.contents))]))
      )
    }
    members.append(("responses", .object(operation.answers.map { (String($0.status), answer($0)) })))
    return .object(members)
  }

  private mutating func parameter(_ parameter: APIParameter) -> JSONOutput {
    let whole = JSONOutput.object(
      [
        ("name", .string(parameter.name)), ("in", parameter.isInPath ? "path" : "query"),
        ("required", .bool(parameter.isRequired)), ("description", .string(parameter.about)),
        ("schema", catalog.json(parameter.schema)),
      ] + (parameter.example.map { [("example", $0)] } ?? []))
    guard let name = parameter.component else { return whole }
    return Self.reference(name, "parameters", whole, &parameters)
  }

  private mutating func answer(_ answer: APIAnswer) -> JSONOutput {
    var members: [(String, JSONOutput)] = [("description", .string(answer.about))]
    if !answer.headers.isEmpty {
      let headers = answer.headers.map { name, about in
        let words: [(String, JSONOutput)] = about.isEmpty ? [] : [("description", .string(about))]
        return (name, JSONOutput.object(words + [("schema", .object([("type", "string")]))]))
      }
      members.append(("headers", .object(headers)))
    }
    if !answer.contents.isEmpty { members.append(("content", content(answer.contents))) }
    if !answer.links.isEmpty {
      let links = answer.links.map { link in
        let parameters = link.parameters.map { ($0, JSONOutput.string($1)) }
        return (
          link.operation,
          JSONOutput.object([("operationId", .string(link.operation)), ("parameters", .object(parameters))])
        )
      }
      members.append(("links", .object(links)))
    }
    guard let name = answer.component else { return .object(members) }
    return Self.reference(name, "responses", .object(members), &responses)
  }

  private mutating func content(_ contents: [APIContent]) -> JSONOutput {
    .object(
      contents.map { content in
        let example: [(String, JSONOutput)] =
          content.schema.isBinary ? [] : [("example", content.example ?? content.schema.example())]
        return (content.type, .object([("schema", catalog.json(content.schema))] + example))
      })
  }

  /// A reference to a component, which the document contains once.
  private static func reference(
    _ name: String, _ kind: String, _ whole: JSONOutput, _ components: inout [(String, JSONOutput)]
  ) -> JSONOutput {
    if !components.contains(where: { $0.0 == name }) { components.append((name, whole)) }
    return .object([("$ref", .string("#/components/\(kind)/\(name)"))])
  }
}

extension JSONOutput {
  /// The document with line breaks, for readers. Values that fit on one line stay on one line.
  fileprivate func readable(margin: String) -> String {
    let compact = String(decoding: encoded(), as: UTF8.self)
    guard compact.utf8.count + margin.utf8.count > 118 else { return compact }
    let inner = margin + " "
    switch self {
    case .array(let items):
      let lines = items.map { inner + $0.readable(margin: inner) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(margin)]"
    case .object(let members):
      let lines = members.map { name, value in
        let key = String(decoding: JSONOutput.string(name).encoded(), as: UTF8.self)
        return "\(inner)\(key): \(value.readable(margin: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
    case .null, .bool, .integer, .number, .string: return compact
    }
  }
}
