internal import Core
internal import Storage
import Synchronization

/// Allows each token one dry run at a time, so that no token occupies all workers.
final class TrialTurns: Sendable {
  private let tokens = Mutex<Set<String>>([])

  /// Runs `body`; nil if a dry run of the token is already running.
  func take<Value>(_ token: String, _ body: () throws -> Value) rethrows -> Value? {
    guard tokens.withLock({ $0.insert(token).inserted }) else { return nil }
    defer { tokens.withLock { _ = $0.remove(token) } }
    return try body()
  }
}

/// The API for tokens that may delete: `POST /api/v1/apps/{app}/deletions` and `GET /api/v1/deletions/{deletion}`.
final class DeletionRoutes: Sendable {
  private let backend: any ServerBackend
  private let throttle: LoginThrottle
  /// The tokens with a running dry run.
  private let trials = TrialTurns()

  init(_ backend: any ServerBackend, _ throttle: LoginThrottle) { (self.backend, self.throttle) = (backend, throttle) }

  /// Stores a request to delete, or returns what it would find.
  func request(_ call: RoutedRequest) throws -> Response {
    try answer(call, "POST") { token, permission, now in
      let request = call.request
      guard let app = try backend.control.app(bundleID: call.arguments[0]), permission.allows(.delete, on: app.id)
      else { return ErrorResponses(request).notFound }
      guard let scope = scope(request, app) else { return Self.unclear }
      if request.query("dry_run") == "true" { return try trial(scope, app, token) }
      if case .wait(let seconds) = throttle.decision(of: Actor(.token, token.name).key, at: now) {
        return ErrorResponses(request).tooManyDecisions(seconds)
      }
      let deletion: Erasure
      do {
        deletion = try backend.deletions.request(scope, of: app, by: "token \(token.name)", at: now)
      } catch let full as ErasureQueueFull {
        return Self.busy(full.description, seconds: 60)
      }
      try backend.control.acting(as: Actor(.token, token.name)).record(deletion.event)
      return Self.answer(202, deletion)
    }
  }

  /// Returns the state of a request.
  func state(_ call: RoutedRequest) throws -> Response {
    try answer(call, "GET") { _, permission, _ in
      guard let id = Int64(call.arguments[0]), let deletion = try backend.deletions.erasure(id),
        permission.allows(.delete, on: deletion.app)
      else { return ErrorResponses(call.request).notFound }
      return Self.answer(200, deletion)
    }
  }

  private func answer(
    _ call: RoutedRequest, _ method: String, _ answer: (AccessToken, Permission, Timestamp) throws -> Response
  ) throws -> Response {
    let (request, now) = (call.request, backend.now())
    guard request.method == method else { return ErrorResponses(request).methodNotAllowed(method) }
    let text = request.header("Authorization").flatMap(IngestHeaders.bearer)
    guard let text, let token = backend.access.token(text, at: now), token.rights.contains(.delete),
      let permission = Permission(token, at: now)
    else { return Self.unauthorized }
    do { try backend.control.markUsed(token: token.id, at: now) } catch { backend.report(error) }
    return try answer(token, permission, now)
  }

  private func trial(_ scope: ErasureScope, _ app: App, _ token: AccessToken) throws -> Response {
    do {
      guard let lines = try trials.take(token.name, { try backend.deletions.trial(scope, of: app) }) else {
        return Self.busy("Another dry run of this token is still running. Try again in a second.", seconds: 1)
      }
      return Self.json(200, DeletionTrial(scope: scope.title, found: lines))
    } catch let refusal as ErasureRefused {
      return .problem(409, "Cannot be deleted", detail: refusal.description)
    }
  }

  /// The scope that the parameters select; nil unless they select exactly one thing.
  private func scope(_ request: RequestSnapshot, _ app: App) -> ErasureScope? {
    let names = ["release", "from", "metric", "payload", "user", "everything"].filter { request.query($0) != nil }
    guard names.count == 1, let value = request.query(names[0]), !value.isEmpty else { return nil }
    switch names[0] {
    case "release": return .release(value)
    case "metric": return request.query("label").map { .label($0, metric: value) } ?? .metric(value)
    case "payload": return .payload(backend.identity.hash(value, scope: "receipt \(app.id)"))
    case "user": return .user(backend.identity.hash(value, scope: "user \(app.id)"))
    case "everything": return value == app.bundleID ? .app : nil
    default:
      guard let from = CalendarDay(iso: value), let to = CalendarDay(iso: request.query("to") ?? value), from <= to,
        to.number - from.number < Self.mostDays
      else { return nil }
      return .days(Window(from: from, to: to))
    }
  }

  private static let mostDays = 3_660

  private static func answer(_ status: Int, _ erasure: Erasure) -> Response {
    json(status, Deletion(erasure: erasure), headers: [("Location", "/api/v1/deletions/\(erasure.id)")])
  }

  private static func json(
    _ status: Int, _ answer: some APIObject, headers: [(String, String)] = []
  ) -> Response {
    Response(
      status: status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers,
      body: answer.json())
  }

  private static func busy(_ detail: String, seconds: Int) -> Response {
    .problem(429, "Too many deletions", detail: detail, headers: [("Retry-After", String(seconds))])
  }

  private static let unauthorized = Response.problem(
    401, "Delete token needed",
    detail:
      "Send a token with the scope delete as `Authorization: Bearer TOKEN`. "
      + "To create one, run `plumb token add NAME --scope delete`.",
    headers: [("WWW-Authenticate", "Bearer")])
  private static let unclear = Response.problem(
    400, "Unclear what to delete",
    detail: "Send exactly one of: user, payload, release, metric (with label), from (with to), everything (the app's "
      + "bundle identifier). dry_run=true shows what would be deleted.")
}
