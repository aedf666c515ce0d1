import Analysis
import Core
import Storage

/// The release gate over HTTP: `POST /api/v1/gate/check`, `…/compare` and `…/rollout`, whose body is a budget file, and
/// `…/lab`.
struct GateRoutes: Sendable {
  private let backend: any ServerBackend
  private let access: ReadAccess
  private let refresher: AccessCacheRefresher

  init(_ backend: any ServerBackend, _ access: ReadAccess, _ refresher: AccessCacheRefresher) {
    (self.backend, self.access, self.refresher) = (backend, access, refresher)
  }

  /// The largest budget file, in bytes. It is small, because each request parses its file.
  private static let bodyLimit = 64 << 10

  /// Admits requests with a read token; only these may send bodies.
  func admit(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    let accepted = Admission.accept(bodyLimit: Self.bodyLimit, responder: match.responder())
    if access.knownReader(of: head) != nil { return accepted }
    return refresher.admit(
      head, unauthorized: Self.unauthorized, where: { $0.isValid(at: $1) && $0.rights.contains(.read) }
    ) { _ in accepted }
  }

  func check(_ call: RoutedRequest) throws -> Response {
    try answer(call) { query, _ in
      .check(printsAll: try flag("all", query), listsIncidents: try flag("incidents", query))
    }
  }

  func compare(_ call: RoutedRequest) throws -> Response {
    try answer(call) { query, needed in
      _ = try needed("app", "a bundle identifier such as com.example.shop")
      return .compare(
        base: try needed("base", "a release such as 4.1.0"), head: try needed("head", "a release such as 4.2.0"))
    }
  }

  func rollout(_ call: RoutedRequest) throws -> Response {
    try answer(call) { query, needed in
      _ = try needed("app", "a bundle identifier such as com.example.shop")
      return .rollout(release: query.query("release"), base: query.query("base"))
    }
  }

  func lab(_ call: RoutedRequest) throws -> Response {
    try answer(call) { query, needed in
      _ = try needed("app", "a bundle identifier such as com.example.shop")
      return .lab(
        base: try needed("base", "a release, commit or branch"),
        head: try needed("head", "a release, commit or branch"),
        margin: try LabComparison.margin(percent: query.query("margin")))
    }
  }

  private func answer(
    _ call: RoutedRequest,
    _ kind: (RequestSnapshot, _ needed: (String, String) throws -> String) throws -> GateQuestion.Kind
  ) throws -> Response {
    let (request, now) = (call.request, backend.now())
    guard request.method == "POST" else { return ErrorResponses(request).methodNotAllowed("POST") }
    guard let reader = try access.reader(of: request, at: now),
      reader.kind == .token || request.isFromOwnPage(publicURL: backend.settings.publicURL)
    else { return Self.unauthorized }
    do {
      try APIParameterCheck.check(request.query, known: call.match.route.parameters ?? [])
      let kind = try kind(request) { name, example in
        if let value = request.query(name), !value.isEmpty { return value }
        throw InvalidQuery(detail: "\(name): expected \(example), found no value", parameter: name)
      }
      guard let question = try question(kind, request, reader, at: now) else {
        let name = request.query("app").map { "no app \($0)" } ?? "no app"
        return .problem(404, "Not found", detail: "There is \(name) that this token may read.")
      }
      return .json(try backend.gate.judge(question).json(), headers: [("Cache-Control", "no-store")])
    } catch let error as InvalidQuery {
      return ErrorResponses(request).badRequest(error)
    } catch let impossible as ImpossibleJudgement {
      return .problem(409, "Cannot be judged", detail: impossible.detail)
    }
  }

  /// The question of a request; nil if it selects no app that the client may read.
  private func question(
    _ kind: GateQuestion.Kind, _ request: RequestSnapshot, _ reader: ReadAccess.Reader, at now: Timestamp
  ) throws -> GateQuestion? {
    var query = try ReportQuery(parameter: request.query)
    if case .rollout = kind { query.release = nil }
    let named = try request.query("app").map { try backend.control.app(bundleID: $0).map { [$0] } ?? [] }
    let apps = try (named ?? backend.control.apps()).filter { reader.permission.allows(.read, on: $0.id) }
    guard !apps.isEmpty else { return nil }
    var budgets: (yaml: String, name: String)?
    let body = request.body
    if !body.isEmpty || request.query("name") != nil {
      let name = request.query("name") ?? ""
      let shown = String(String.UnicodeScalarView(name.unicodeScalars.prefix(200).filter { $0.value >= 0x20 }))
      budgets = (String(decoding: body, as: UTF8.self).streamSafe, shown.isEmpty ? "budgets.yaml" : shown)
    }
    return GateQuestion(
      kind, apps: apps, query: query, format: request.query("format"), budgets: budgets, now: now)
  }

  private func flag(_ name: String, _ request: RequestSnapshot) throws -> Bool {
    switch request.query(name) {
    case nil, "false": return false
    case "true": return true
    case let value?:
      throw InvalidQuery(detail: "\(name): expected true or false, found \"\(value)\"", parameter: name)
    }
  }

  private static let unauthorized = Response.problem(
    401, "Read token needed",
    detail: "Send a read token as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME`.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
}
