import Dispatch
import Storage

/// An address of the server, with its methods, access check, queue and handler.
///
/// `Router.init(_:)` lists the addresses of a primary, `Router.init(_:primary:)` those of an ingest node.
final class Route: Sendable {
  /// Decides at the headers whether to read the body. Must not block.
  typealias Admit = @Sendable (borrowing RequestHead, RouteMatch) -> Admission
  /// Answers a request when it is its turn. Nil if the answer follows later through `Call.reply`.
  typealias Handler = @Sendable (Call) throws -> Response?

  /// The supported methods. HEAD must be listed, because GET does not imply it.
  let methods: [String]
  let address: RouteAddress
  let admit: Admit
  let queue: WorkQueue
  let handler: Handler
  /// Whether the route also gets requests with other methods, so that `admit` or `handler` can refuse them.
  let refusesOthers: Bool
  /// The known query parameters; nil to ignore unknown parameters.
  let parameters: [String]?
  /// Returns an answer that needs no queueing; nil if there is none. Must not block.
  let ready: (@Sendable (borrowing RequestHead) -> Response?)?
  /// Returns the answers to requests that the server refuses before `admit`; nil for the standard answers.
  let defaultResponses: (@Sendable (borrowing RequestHead, [String]) -> DefaultResponses)?

  init(
    _ methods: String, _ address: RouteAddress, _ admit: @escaping Admit, _ queue: WorkQueue,
    _ handler: @escaping Handler, refusesOthers: Bool = false, parameters: [String]? = nil,
    ready: (@Sendable (borrowing RequestHead) -> Response?)? = nil,
    defaultResponses: (@Sendable (borrowing RequestHead, [String]) -> DefaultResponses)? = nil
  ) {
    self.methods = methods.split(separator: " ").map(String.init)
    self.address = address
    self.admit = admit
    self.queue = queue
    self.handler = handler
    self.refusesOthers = refusesOthers
    self.parameters = parameters
    self.ready = ready
    self.defaultResponses = defaultResponses
  }
}

/// A path, or a pattern of paths.
///
/// A pattern with a leading slash, such as `/login`, is compared with the whole decoded path; `/v1/payloads[/]` allows
/// a trailing slash. A pattern without a leading slash, such as `apps/{app}/exits`, is compared segment by segment.
/// Segments are decoded separately, so a name may contain a slash, and empty segments are ignored. `{…:number}` is an
/// integer.
struct RouteAddress: Sendable, ExpressibleByStringInterpolation {
  let pattern: PathPattern
  let isWhole: Bool
  let allowsSlash: Bool
  /// The positions of placeholders that must be integers.
  private let numbers: [Int]

  init(stringLiteral text: String) {
    isWhole = text.hasPrefix("/")
    allowsSlash = text.hasSuffix("[/]")
    pattern = PathPattern(stringLiteral: allowsSlash ? String(text.dropLast(3)) : text)
    let placeholders = text.split(separator: "/").filter { $0.hasPrefix("{") }
    numbers = placeholders.indices.filter { placeholders[$0].hasSuffix(":number}") }
  }

  /// All paths of an address without placeholders; empty for a pattern.
  var fixed: [String] {
    guard isWhole, pattern.placeholders == 0 else { return [] }
    let path = "/" + pattern.description.drop { $0 == "/" }
    return allowsSlash ? [path, path + "/"] : [path]
  }

  /// The values of the placeholders; nil if the path does not match. `segments`: its segments, decoded separately.
  func arguments(of path: String, _ segments: () -> [String]) -> [String]? {
    let found =
      isWhole ? pattern.arguments(ofPath: path, allowsSlash: allowsSlash) : pattern.arguments(of: segments())
    guard let found, numbers.allSatisfy({ Int64(found[$0]) != nil }) else { return nil }
    // Paths below `/api/v1` belong to Plumb's API, not to Sentry's protocol.
    return isWhole && found.first == "v1" ? nil : found
  }
}

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
      Call(request: request.snapshot(), match: match, token: token, reply: reply).run()
    }

    func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
      tooLarge?(limit) ?? defaultResponses.tooLarge(limit)
    }
  }
}

/// An admitted request and its pending reply.
struct Call: Sendable {
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

/// A queue of requests for a few threads, on which clients take turns.
final class WorkQueue: Sendable {
  /// The key by which requests take turns.
  private enum Client: Hashable {
    case address(ClientAddress?)
    case token(Int32)
  }

  /// How to handle a request whose client disconnects or waits long.
  enum Effect {
    /// The request only reads, so it is dropped if the client disconnects.
    case none
    /// The request is always carried out.
    case carriedOut
    /// The request is always carried out and answered without a deadline, because a client that repeats it would wait
    /// again.
    case awaited
  }

  /// The threads, and the answer if too many requests wait; nil to answer on the receiving thread.
  private let queue: (threads: FairQueue<Client>, busy: Response)?
  private let proxies: TrustedProxies
  private let effect: Effect

  /// The receiving thread, for handlers that never block or have their own queue.
  static let receiver = WorkQueue()

  private init() { (queue, proxies, effect) = (nil, TrustedProxies(), .none) }

  /// Creates a queue. See `FairQueue` for `threads`, `spare`, `most` and `limit`. `busy`: the answer if too many
  /// requests are waiting. Requests with a token take turns by token, all others by the client's address behind
  /// `proxies`.
  init(
    _ label: String, qos: DispatchQoS = .utility, threads: Int, spare: Int = 0, most: Int? = nil, limit: Int,
    effect: Effect = .none, proxies: TrustedProxies, busy: Response
  ) {
    queue = (FairQueue(label: label, qos: qos, threads: threads, spare: spare, most: most, limit: limit), busy)
    (self.proxies, self.effect) = (proxies, effect)
  }

  func run(_ call: Call) {
    guard let (threads, busy) = queue else { return call.answer() }
    if effect == .awaited { call.reply.hold() }
    let client: Client =
      call.token.map { .token($0.id) } ?? .address(proxies.client(of: call.request)?.network)
    let isTaken = threads.run(for: client) { [effect] in
      if effect != .none || call.reply.isOwed { call.answer() }
    }
    if !isTaken { call.reply.send(busy) }
  }
}
