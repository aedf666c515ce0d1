import Access
import HTTP
import JSON
public import Storage
import Synchronization
public import Telemetry

/// Requests to delete, as the server passes them on to the process that carries them out.
public struct DeletionRequests: Sendable {
  /// Stores a request.
  public var request: @Sendable (ErasureScope, App, _ by: String, Timestamp) throws -> Erasure
  /// What a request would find, a line each.
  public var trial: @Sendable (ErasureScope, App) throws -> [String]
  /// The tokens whose dry runs are being carried out.
  let trials = TrialTurns()
  /// The request with this id.
  public var find: @Sendable (Int64) throws -> Erasure?

  public init(
    request: @escaping @Sendable (ErasureScope, App, _ by: String, Timestamp) throws -> Erasure,
    trial: @escaping @Sendable (ErasureScope, App) throws -> [String],
    find: @escaping @Sendable (Int64) throws -> Erasure?
  ) {
    self.request = request
    self.trial = trial
    self.find = find
  }
}

/// Too many requests of an app wait.
public struct ErasureQueueFull: Error, CustomStringConvertible {
  public let waiting: Int

  public init(waiting: Int) { self.waiting = waiting }

  public var description: String { "\(waiting) deletions of this app wait. Try again when some are done." }
}

/// One trial at a time for each token, so that none takes all workers.
final class TrialTurns: Sendable {
  private let tokens = Mutex<Set<String>>([])

  /// Runs `body`; nil if the token has a turn already.
  func take<Value>(_ token: String, _ body: () throws -> Value) rethrows -> Value? {
    guard tokens.withLock({ $0.insert(token).inserted }) else { return nil }
    defer { tokens.withLock { _ = $0.remove(token) } }
    return try body()
  }
}

/// The API for tokens that may delete: `POST /api/v1/apps/{app}/deletions` and `GET /api/v1/deletions/{id}`.
struct DeletionRoutes {
  let context: ServerContext
  let throttle: LoginThrottle

  /// The app of a request to delete, or the number of one that was made.
  private enum Address {
    case app(String)
    case deletion(Int64)

    init?(_ segments: [String]) {
      guard segments.prefix(2) == ["api", "v1"] else { return nil }
      let rest = Array(segments.dropFirst(2))
      if rest.count == 3, rest[0] == "apps", rest[2] == "deletions" {
        self = .app(rest[1])
      } else if rest.count == 2, rest[0] == "deletions", let id = Int64(rest[1]) {
        self = .deletion(id)
      } else {
        return nil
      }
    }
  }

  /// The response; nil if the address is none of these.
  func response(to request: RequestSnapshot, at now: Timestamp) throws -> Response? {
    guard let address = Address(request.segments), let deletions = context.deletions else { return nil }
    switch (request.method, address) {
    case ("POST", .app), ("GET", .deletion): break
    case (_, .app): return ErrorResponses(request).methodNotAllowed("POST")
    case (_, .deletion): return ErrorResponses(request).methodNotAllowed("GET")
    }
    let text = request.header("Authorization").flatMap(IngestHeaders.bearer)
    guard let text, let token = context.access.token(text, at: now), token.rights.contains(.delete),
      let permission = Permission(token, at: now)
    else { return Self.unauthorized }
    do { try context.control.markUsed(token: token.id, at: now) } catch { context.report(error) }
    switch address {
    case .app(let name):
      guard let app = try context.control.app(bundleID: name), permission.allows(.delete, on: app.id) else {
        return ErrorResponses(request).notFound
      }
      guard let scope = scope(request, app) else { return Self.unclear }
      if request.query("dry_run") == "true" {
        let lines: [String]?
        do {
          lines = try deletions.trials.take(token.name) { try deletions.trial(scope, app) }
        } catch let refusal as ErasureRefused {
          return .problem(409, "Cannot be deleted", detail: refusal.description)
        }
        guard let lines else {
          return Self.busy("Another dry run of this token is not finished. Try again in a second.", seconds: 1)
        }
        return Self.json(200, [("scope", .string(scope.title)), ("found", .array(lines.map { .string($0) }))])
      }
      if case .wait(let seconds) = throttle.decision(of: Actor(.token, token.name).key, at: now) {
        return ErrorResponses(request).tooManyDecisions(seconds)
      }
      let deletion: Erasure
      do {
        deletion = try deletions.request(scope, app, "token \(token.name)", now)
      } catch let full as ErasureQueueFull {
        return Self.busy(full.description, seconds: 60)
      }
      try context.control.acting(as: Actor(.token, token.name)).record(deletion.event)
      return Self.answer(202, deletion)
    case .deletion(let id):
      guard let deletion = try deletions.find(id), permission.allows(.delete, on: deletion.app) else {
        return ErrorResponses(request).notFound
      }
      return Self.answer(200, deletion)
    }
  }

  /// What the parameters name; nil unless they name exactly one thing.
  private func scope(_ request: RequestSnapshot, _ app: App) -> ErasureScope? {
    let names = ["release", "from", "metric", "payload", "user", "everything"].filter { request.query($0) != nil }
    guard names.count == 1, let value = request.query(names[0]), !value.isEmpty else { return nil }
    switch names[0] {
    case "release": return .release(value)
    case "metric": return request.query("label").map { .label($0, metric: value) } ?? .metric(value)
    case "payload": return .payload(context.identity.hash(value, scope: "receipt \(app.id)"))
    case "user": return .user(context.identity.hash(value, scope: "user \(app.id)"))
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
    let state = erasure.finished == nil ? "waiting" : erasure.isRefused ? "refused" : "done"
    return json(
      status,
      [
        ("deletion", .integer(erasure.id)), ("state", .string(state)), ("scope", .string(erasure.scope.title)),
        ("app", .string(erasure.bundleID)), ("requested", .string(erasure.requested.iso)),
        ("finished", .optional(erasure.finished?.iso)), ("statement", .string(erasure.statement)),
      ], headers: [("Location", "/api/v1/deletions/\(erasure.id)")])
  }

  private static func json(
    _ status: Int, _ members: [(String, JSONOutput)], headers: [(String, String)] = []
  ) -> Response {
    Response(
      status: status, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")] + headers,
      body: JSONOutput.object(members).encoded() + [UInt8(ascii: "\n")])
  }

  private static func busy(_ detail: String, seconds: Int) -> Response {
    .problem(429, "Too many deletions", detail: detail, headers: [("Retry-After", String(seconds))])
  }

  private static let unauthorized = Response.problem(
    401, "Token for deleting needed",
    detail:
      "Send a token that may delete as `Authorization: Bearer TOKEN`. `plumb token add privacy --scope delete` makes one.",
    headers: [("WWW-Authenticate", "Bearer")])
  private static let unclear = Response.problem(
    400, "Unclear what to delete",
    detail: "Name exactly one of: user, payload, release, metric (with label), from (with to), everything (the app's "
      + "bundle identifier once more). dry_run=true shows what is found.")
}
