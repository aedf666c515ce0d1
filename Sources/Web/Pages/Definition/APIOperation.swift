public import Core

/// An operation of the API, as `openapi.json` describes it.
public struct APIOperation: Sendable {
  public var method = "get"
  /// The whole path, such as `/api/v1/apps/{app}/exits`.
  public var path: String
  public var id: String
  /// A short title.
  public var summary: String
  public var about: String
  public var parameters: [APIParameter] = []
  public var body: APIBody?
  public var answers: [APIAnswer]
  /// The names of the security schemes, any of which is sufficient; nil for a read token or a login.
  public var security: [String]?
  public var isDeprecated = false

  /// The placeholders of the path become parameters, followed by `parameters`.
  public init(
    _ method: String = "get", _ path: String, id: String, _ summary: String, _ about: String,
    parameters: [APIParameter] = [], body: APIBody? = nil, answers: [APIAnswer], security: [String]? = nil
  ) {
    self.method = method
    self.path = path
    self.id = id
    self.summary = summary
    self.about = about
    let inPath = path.split(separator: "/").filter { $0.hasPrefix("{") }
      .compactMap { APIParameter.inPath[String($0.dropFirst().dropLast())] }
    self.parameters = inPath + parameters
    self.body = body
    self.answers = answers
    self.security = security
  }
}

/// The body of a request.
public struct APIBody: Sendable {
  public var contents: [APIContent]
  public var isRequired = true
  public var about: String?

  public init(_ contents: APIContent..., isRequired: Bool = true, about: String? = nil) {
    self.contents = contents
    self.isRequired = isRequired
    self.about = about
  }
}

/// A body by its media type.
public struct APIContent: Sendable {
  public var type: String
  public var schema: JSONSchema
  /// Nil for an example made from the schema.
  public var example: JSONOutput?

  public init(_ type: String, _ schema: JSONSchema, example: JSONOutput? = nil) {
    self.type = type
    self.schema = schema
    self.example = example
  }

  /// JSON with an example made from its schema.
  public static func json(_ schema: JSONSchema) -> APIContent { APIContent("application/json", schema) }
}

/// One answer of an operation.
public struct APIAnswer: Sendable {
  public var status: Int
  public var about: String
  public var contents: [APIContent] = []
  /// Headers with their descriptions, which may be empty.
  public var headers: [(name: String, about: String)] = []
  /// Links from values of the answer to operations, with their parameters as runtime expressions.
  public var links: [(operation: String, parameters: [(String, String)])] = []
  /// The name of the component in `openapi.json`; nil to write the answer inline.
  public var component: String?

  public init(
    _ status: Int, _ about: String, _ contents: APIContent..., headers: [(name: String, about: String)] = [],
    links: [(operation: String, parameters: [(String, String)])] = []
  ) {
    self.status = status
    self.about = about
    self.contents = contents
    self.headers = headers
    self.links = links
  }

  /// An error. `others`: the problem's further members. `type`: `application/json` for programs that expect it.
  public static func problem(
    _ status: Int, _ about: String, title: String, _ detail: String?, _ others: [(String, JSONOutput)] = [],
    headers: [(name: String, about: String)] = [], type: String = "application/problem+json",
    component: String? = nil
  ) -> APIAnswer {
    let example = ProblemDocument.output(status, title, detail: detail, others)
    var answer = APIAnswer(
      status, about, APIContent(type, ProblemDocument.schema, example: example), headers: headers)
    answer.component = component
    return answer
  }
}

extension APIAnswer {
  public static let notModified: APIAnswer = {
    var answer = APIAnswer(304, "The client's cached response is current.", headers: [eTag])
    answer.component = "NotModified"
    return answer
  }()

  public static let eTag = (name: "ETag", about: "For `If-None-Match`.")

  public static let badRequest = problem(
    400, "A parameter is invalid, unknown or repeated.", title: "Not understood",
    "from: expected a day such as 2026-11-20, found \"yesterday\"", [("parameter", "from")], component: "BadRequest")

  public static let unauthorized = problem(
    401, "The request has neither a valid read token nor a login.", title: "Login needed",
    "Send a read token as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME`.",
    headers: [("WWW-Authenticate", "")], component: "Unauthorized")

  public static let forbidden = problem(
    403, "The token or the user's role does not allow the request.", title: "Not allowed",
    "This requires an administrator of all apps, or a token with the scope admin.", component: "Forbidden")

  public static let notFound = problem(
    404, "The app does not exist, or there is no data for the metric or diagnostic.", title: "Not found",
    "There is nothing at /api/v1/apps/nobody/report, or no data for it yet.", component: "NotFound")

  public static let methodNotAllowed = problem(
    405, "The address does not accept this method.", title: "Method not allowed", "This address supports GET, HEAD.",
    headers: [("Allow", "")], component: "MethodNotAllowed")

  public static let conflict = problem(
    409, "The parameters are valid, but contradict each other or ask for more data than is kept.",
    title: "Cannot be answered", "to: 2026-11-01 is before from 2026-11-20", [("parameter", "to")],
    component: "Conflict")

  public static let failure = problem(
    500, "The server could not read its data.", title: "Something went wrong",
    "The server could not read its data. The reason is in its log.", component: "Failure")

  public static let busy = problem(
    503, "Too many requests at once.", title: "Busy", "Too many pages are being rendered. Try again shortly.",
    headers: [("Retry-After", "")], component: "Busy")
}
