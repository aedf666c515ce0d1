import Storage

/// The handler of all HTTP requests, which finds the route of each request in a list.
///
/// HTTP threads read heads and bodies, look up keys in memory and decode small bodies; they never block. Pages and the
/// API run on two workers (four while pages are slow), on which client addresses take turns. Passwords, large bodies,
/// symbols and the control database have their own threads.
public final class Router: RequestHandler {
  let backend: any PayloadBackend
  /// The routes, in the order in which they are tried.
  let routes: [Route]
  /// The route for requests that no other route accepts.
  private let remaining: Route
  private let status: StatusRoutes
  /// The routes without placeholders, by path.
  private let fixed: [String: [Route]]
  private let patterns: [Route]

  init(_ backend: any PayloadBackend, _ status: StatusRoutes, _ routes: [Route], remaining: Route) {
    (self.backend, self.status, self.routes, self.remaining) = (backend, status, routes, remaining)
    patterns = routes.filter { $0.address.fixed.isEmpty }
    fixed = routes.reduce(into: [:]) { fixed, route in
      for path in route.address.fixed { fixed[path, default: []].append(route) }
    }
  }

  /// Sets the server whose counters `/metrics` exports. Called once, before requests arrive.
  public func observe(_ server: HTTPServer) { status.observe(server) }

  public func admit(_ head: borrowing RequestHead) -> Admission {
    let match = match(head)
    return match.route.admit(head, match)
  }

  public func respond(to request: borrowing Request, _ reply: PendingReply) {
    match(request.head).responder().respond(to: request, reply)
  }

  public func defaultResponses(to head: borrowing RequestHead) -> DefaultResponses {
    let match = match(head)
    return match.route.defaultResponses?(head, match.arguments) ?? .standard
  }

  /// The first route that accepts the request's method at its address; otherwise the first that wants to refuse it.
  private func match(_ head: borrowing RequestHead) -> RouteMatch {
    let path = head.path
    var refusing: RouteMatch?
    for route in fixed[path] ?? [] {
      if route.methods.contains(head.method) { return RouteMatch(route: route, arguments: [], router: self) }
      if route.refusesOthers, refusing == nil { refusing = RouteMatch(route: route, arguments: [], router: self) }
    }
    var segments: [String]?
    for route in patterns {
      if !route.address.isWhole, segments == nil { segments = head.segments }
      guard let arguments = route.address.arguments(of: path, { segments ?? [] }) else { continue }
      let match = RouteMatch(route: route, arguments: arguments, router: self)
      if route.methods.contains(head.method) { return match }
      if route.refusesOthers, refusing == nil { refusing = match }
    }
    return refusing ?? RouteMatch(route: remaining, arguments: [], router: self)
  }

  /// The value of the header `Allow` for an address.
  func methods(at request: RequestSnapshot) -> String {
    let found = routes.filter { $0.address.arguments(of: request.path, { request.segments }) != nil }.flatMap(\.methods)
    let known = (found.isEmpty ? ["GET", "HEAD"] : found).reduce(into: [String]()) { known, method in
      if !known.contains(method) { known.append(method) }
    }
    let reading = known.contains("GET") ? ["GET", "HEAD"] : []
    return (reading + known.filter { !reading.contains($0) }).joined(separator: ", ")
  }
}
