import Access
import HTTP
public import Health
import JSON
import Pages
public import Storage
public import Telemetry

/// The judgements of `plumb check` and `plumb compare`, as the server asks the application for them.
public struct ReleaseGate: Sendable {
  /// What is judged, and how the result is printed.
  public struct Question: Sendable {
    public enum Kind: Sendable {
      case check(printsAll: Bool, listsIncidents: Bool)
      case compare(base: String, head: String)
    }

    public var kind: Kind
    /// At least one app; for a comparison exactly one.
    public var apps: [App]
    public var query: ReportQuery
    /// The name of the output format; nil for text.
    public var format: String?
    /// The budget file of the request, which is used for it alone; nil for the server's budgets.
    public var budgets: (yaml: String, name: String)?
    public var now: Timestamp
  }

  /// What the command prints, and its exit status.
  public struct Answer: Sendable {
    public var status: Int32
    public var output: [UInt8]
    /// Lines for standard error.
    public var messages: [String]

    public init(status: Int32, output: [UInt8], messages: [String]) {
      (self.status, self.output, self.messages) = (status, output, messages)
    }
  }

  /// Why nothing can be judged, as a sentence; the command then ends with status 3.
  public struct Impossible: Error {
    public let detail: String

    public init(_ detail: String) { self.detail = detail }
  }

  /// Judges; throws `InvalidQuery`, or `Impossible`.
  public var judge: @Sendable (Question) throws -> Answer

  public init(judge: @escaping @Sendable (Question) throws -> Answer) { self.judge = judge }
}

/// The release gate over HTTP: `POST /api/v1/gate/check` and `POST /api/v1/gate/compare`, whose body is a budget file.
struct GateRoutes {
  let context: ServerContext
  let access: ReadAccess

  /// A judgement of the gate, and its query parameters as listed in `openapi.json`.
  enum Address: String, CaseIterable {
    case check
    case compare

    init?(_ path: String) {
      guard path.hasPrefix(Self.prefix) else { return nil }
      self.init(rawValue: String(path.dropFirst(Self.prefix.count)))
    }

    static let prefix = "/api/v1/gate/"

    var parameters: [String] {
      switch self {
      case .check:
        ["app"] + [FilterPart.release, .environment, .attribute, .from, .to].map(\.name) + [
          "all", "incidents", "format", "name",
        ]
      case .compare: ["app", "base", "head"] + ComparePage.filters.map(\.name) + ["format", "name"]
      }
    }
  }

  /// The largest budget file, in bytes: it is parsed for each request.
  private static let bodyLimit = 64 << 10

  /// Decides at the headers: only clients that may read send bodies.
  func admit(_ head: borrowing RequestHead, _ refresher: AccessRefresher, at now: Timestamp) -> Admission {
    guard let text = head.header("Authorization").flatMap(IngestHeaders.bearer) else {
      return access.knownReader(of: head) == nil
        ? .refuse(Self.unauthorized) : .accept(bodyLimit: Self.bodyLimit)
    }
    if let token = context.access.knownToken(text), token.isValid(at: now), token.rights.contains(.read) {
      return .accept(bodyLimit: Self.bodyLimit)
    }
    if head.isAskedAgain { return .refuse(Self.unauthorized) }
    // The token may have been added a moment ago.
    return .askAgain { wake in if !refresher.waits(at: now, wake) { wake() } }
  }

  /// The response; nil if the address is none of these.
  func response(to request: RequestSnapshot, at now: Timestamp) throws -> Response? {
    guard let address = Address(request.path), let gate = context.gate else { return nil }
    guard request.method == "POST" else { return ErrorResponses(request).methodNotAllowed("POST") }
    guard let reader = try access.reader(of: request, at: now),
      reader.kind == .token || request.isFromOwnPage(publicURL: context.settings.publicURL)
    else { return Self.unauthorized }
    do {
      try APIParameters.check(request.query, known: address.parameters)
      guard let question = try question(address, request, reader, at: now) else {
        let name = request.query("app").map { "no app \($0)" } ?? "no app"
        return .problem(404, "Not found", detail: "There is \(name) that this token may read.")
      }
      return Self.json(try gate.judge(question))
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch let impossible as ReleaseGate.Impossible {
      return .problem(409, "Cannot be judged", detail: impossible.detail)
    }
  }

  /// The question of a request; nil if it names no app that the client may read.
  private func question(
    _ address: Address, _ request: RequestSnapshot, _ reader: ReadAccess.Reader, at now: Timestamp
  ) throws -> ReleaseGate.Question? {
    func needed(_ name: String, _ example: String) throws -> String {
      if let value = request.query(name), !value.isEmpty { return value }
      throw InvalidQuery(detail: "\(name): expected \(example), found nothing", parameter: name)
    }
    let kind: ReleaseGate.Question.Kind
    switch address {
    case .check:
      kind = .check(printsAll: try flag("all", request), listsIncidents: try flag("incidents", request))
    case .compare:
      _ = try needed("app", "a bundle identifier such as com.example.shop")
      kind = .compare(
        base: try needed("base", "a release such as 4.1.0"), head: try needed("head", "a release such as 4.2.0"))
    }
    let query = try ReportQuery(parameter: request.query)
    let named = try request.query("app").map { try context.control.app(bundleID: $0).map { [$0] } ?? [] }
    let apps = try (named ?? context.control.apps()).filter { reader.permission.allows(.read, on: $0.id) }
    guard !apps.isEmpty else { return nil }
    var budgets: (yaml: String, name: String)?
    if !request.body.isEmpty || request.query("name") != nil {
      let name = request.query("name") ?? ""
      let shown = String(String.UnicodeScalarView(name.unicodeScalars.prefix(200).filter { $0.value >= 0x20 }))
      budgets = (String(decoding: request.body, as: UTF8.self), shown.isEmpty ? "budgets.yaml" : shown)
    }
    return ReleaseGate.Question(
      kind: kind, apps: apps, query: query, format: request.query("format"), budgets: budgets, now: now)
  }

  private func flag(_ name: String, _ request: RequestSnapshot) throws -> Bool {
    switch request.query(name) {
    case nil, "false": return false
    case "true": return true
    case let value?:
      throw InvalidQuery(detail: "\(name): expected true or false, found \"\(value)\"", parameter: name)
    }
  }

  private static func json(_ answer: ReleaseGate.Answer) -> Response {
    let members: [(String, JSONOutput)] = [
      ("schema", .count(HealthReport.schema)), ("status", .integer(Int64(answer.status))),
      ("output", .string(String(decoding: answer.output, as: UTF8.self))),
      ("messages", .array(answer.messages.map { .string($0) })),
    ]
    return .json(
      JSONOutput.object(members).encoded() + [UInt8(ascii: "\n")], headers: [("Cache-Control", "no-store")])
  }

  private static let unauthorized = Response.problem(
    401, "Read token needed",
    detail: "Send a token that may read as `Authorization: Bearer TOKEN`. `plumb token add gate` makes one.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
}
