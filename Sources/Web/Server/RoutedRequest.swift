import Storage

/// The route of a request.
struct RouteMatch: Sendable {
  let route: Route
  /// The values of the placeholders in the route's address.
  let arguments: [String]
  let router: Router

  /// Answers the request on the queue of its route. `token`: the token that admitted the request; nil without one.
  /// `tooLarge`: returns the answer to a body above the limit; nil for the standard answer.
  func responder(_ token: AccessToken? = nil, tooLarge: (@Sendable (Int) -> Response)? = nil) -> any Responder {
    QueuedResponder(match: self, token: token, tooLarge: tooLarge)
  }

  private struct QueuedResponder: Responder {
    let match: RouteMatch
    let token: AccessToken?
    let tooLarge: (@Sendable (Int) -> Response)?

    func respond(to request: borrowing Request, _ reply: PendingReply) {
      if let response = match.route.ready?(request.head) { return reply.send(response) }
      RoutedRequest(request: request.snapshot(), match: match, token: token, reply: reply).run()
    }

    func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
      tooLarge?(limit) ?? defaultResponses.tooLarge(limit)
    }
  }
}

/// An admitted request and its pending reply.
struct RoutedRequest: Sendable {
  let request: RequestSnapshot
  let match: RouteMatch
  /// The token that admitted the request at its headers; nil without one.
  let token: AccessToken?
  let reply: PendingReply

  /// The values of the placeholders in the route's address.
  var arguments: [String] { match.arguments }

  /// Queues the request, to answer it when it is its turn.
  func run() { match.route.queue.run(self) }

  /// Answers the request now.
  func answer() {
    do {
      if let response = try match.route.handler(self) { reply.send(response) }
    } catch let refusal as ReadAccess.Refusal {
      reply.send(ErrorResponses(request).forbidden(refusal.detail))
    } catch {
      match.router.backend.report(error)
      reply.send(ErrorResponses(request).unavailable)
    }
  }
}
