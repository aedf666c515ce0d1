import Dispatch
import Storage

/// An address of the server: what may be sent there, by whom, on which queue it is answered, and by what.
///
/// `Router.init(_:)` lists the addresses of a primary, `Router.init(_:primary:)` those of an ingest node.
final class Route: Sendable {
  /// Decides at the headers, before the body is read. Must not block.
  typealias Admit = @Sendable (borrowing RequestHead, RouteMatch) -> Admission
  /// Answers a request when it is its turn. Nil if the answer follows later, through `Call.reply`.
  typealias Handler = @Sendable (Call) throws -> Response?

  /// HEAD must be listed: GET does not imply it.
  let methods: [String]
  let address: RouteAddress
  let admit: Admit
  let queue: WorkQueue
  let handler: Handler
  /// Whether requests with other methods come here, too, to be refused in the words of `admit` or `handler`.
  let refusesOthers: Bool
  /// The query parameters that are known; nil where unknown ones are ignored.
  let parameters: [String]?
  /// An answer that can be given at once, without queueing; nil if there is none. Must not block.
  let ready: (@Sendable (borrowing RequestHead) -> Response?)?
  /// The server's own answers to requests that it refuses before `admit`; nil for the standard ones.
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
/// `/login` with a slash in front is compared with the whole decoded path, and `/v1/payloads[/]` may have a slash behind
/// it. `apps/{app}/exits` without one is compared part by part, each decoded by itself, and empty parts are left out, so
/// that a name may contain a slash. `{…:number}` is a whole number.
struct RouteAddress: Sendable, ExpressibleByStringInterpolation {
  let pattern: PathPattern
  let isWhole: Bool
  let allowsSlash: Bool
  /// The placeholders, by position, that must be whole numbers.
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

  /// The values of the placeholders; nil if a path is not of this address. `segments`: its parts, decoded one by one.
  func arguments(of path: String, _ segments: () -> [String]) -> [String]? {
    let found =
      isWhole ? pattern.arguments(ofPath: path, allowsSlash: allowsSlash) : pattern.arguments(of: segments())
    guard let found, numbers.allSatisfy({ Int64(found[$0]) != nil }) else { return nil }
    // Whatever follows `/api/v1` is Plumb's own, and no project of Sentry's protocol.
    return isWhole && found.first == "v1" ? nil : found
  }
}

/// The route of a request.
struct RouteMatch: Sendable {
  let route: Route
  /// The values of the placeholders in the route's address.
  let arguments: [String]
  let router: Router

  /// Answers the request on the queue of its route. `token`: the one by which it was admitted; nil without one.
  /// `tooLarge`: the answer to a body above the limit; nil for the standard one.
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

/// An admitted request, and the reply that is owed for it.
struct Call: Sendable {
  let request: RequestSnapshot
  let match: RouteMatch
  /// The token by which it was admitted at its headers; nil without one.
  let token: AccessToken?
  let reply: PendingReply

  /// The values of the placeholders in the route's address.
  var arguments: [String] { match.arguments }

  /// Waits for its turn, and answers then.
  func run() { match.route.queue.run(self) }

  /// Answers now.
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

/// Where requests wait for their turn: a few threads, on which clients take turns.
final class WorkQueue: Sendable {
  /// Whose turn it is.
  private enum Client: Hashable {
    case address(ClientAddress?)
    case token(Int32)
  }

  /// What becomes of a request whose client goes away or waits long.
  enum Effect {
    /// It only reads: it is dropped when the client has gone.
    case none
    /// It is carried out in any case.
    case carriedOut
    /// It is carried out, and answered however long it takes: a client that repeated it would wait again.
    case awaited
  }

  /// The threads, and the answer if too many requests wait; nil to answer on the receiving thread.
  private let queue: (threads: FairQueue<Client>, busy: Response)?
  private let proxies: TrustedProxies
  private let effect: Effect

  /// The thread that received the request, for what never blocks, or has a queue of its own.
  static let receiver = WorkQueue()

  private init() { (queue, proxies, effect) = (nil, TrustedProxies(), .none) }

  /// See `FairQueue` for `threads`, `spare`, `most` and `limit`. `busy`: the answer if too many wait. Requests that were
  /// admitted by a token take turns by it, all others by the client's address behind `proxies`.
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
