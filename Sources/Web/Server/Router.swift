import Storage

/// The handler of all HTTP requests: finds the route of each in a list.
///
/// HTTP threads read heads and bodies, look keys up in memory and decode small bodies; they never block. Pages and the
/// API run on two workers, and two more while pages take long, on which client addresses take turns. Passwords, large
/// bodies, symbols and the control database have threads of their own.
public final class Router: RequestHandler {
  let backend: any PayloadBackend
  /// In the order in which they are tried.
  let routes: [Route]
  /// What answers requests that no route takes.
  private let remaining: Route
  private let status: StatusRoutes
  /// Routes by their whole path, and the other ones.
  private let fixed: [String: [Route]]
  private let patterns: [Route]

  init(_ backend: any PayloadBackend, _ status: StatusRoutes, _ routes: [Route], remaining: Route) {
    (self.backend, self.status, self.routes, self.remaining) = (backend, status, routes, remaining)
    patterns = routes.filter { $0.address.fixed.isEmpty }
    fixed = routes.reduce(into: [:]) { fixed, route in
      for path in route.address.fixed { fixed[path, default: []].append(route) }
    }
  }

  /// Sets the server whose counters `/metrics` shows. Called once, before requests arrive.
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

  /// The first route that takes the request's method at its address; else the first that refuses it in its own words.
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

  /// The methods that an address takes, as the header `Allow` names them.
  func methods(at request: RequestSnapshot) -> String {
    let found = routes.filter { $0.address.arguments(of: request.path, { request.segments }) != nil }.flatMap(\.methods)
    let known = (found.isEmpty ? ["GET", "HEAD"] : found).reduce(into: [String]()) { known, method in
      if !known.contains(method) { known.append(method) }
    }
    let reading = known.contains("GET") ? ["GET", "HEAD"] : []
    return (reading + known.filter { !reading.contains($0) }).joined(separator: ", ")
  }
}
