/// An address of the server, with its methods, access check, queue and handler.
///
/// `Router.init(_:)` lists the addresses of a primary, `Router.init(_:primary:)` those of an ingest node.
final class Route: Sendable {
  /// Decides at the headers whether to read the body. Must not block.
  typealias Admit = @Sendable (borrowing RequestHead, RouteMatch) -> Admission
  /// Answers a request when it is its turn. Nil if the answer follows later through `RoutedRequest.reply`.
  typealias Handler = @Sendable (RoutedRequest) throws -> Response?

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

extension Route {
  /// Whether a standby answers the route: it reads, or it belongs to the gate or to the exchange of epochs.
  var isReading: Bool {
    let path = address.pattern.description
    guard !path.contains("api/v1/standby/"), !path.contains("api/v1/nodes/"), !path.contains("/login/oidc") else {
      return false
    }
    return methods.contains("HEAD") && !methods.contains("POST") || path.contains("api/v1/gate/")
      || path.contains("api/v1/epoch")
      || path.contains("api/v1/deletions/")
  }

  /// The route of a standby, which refuses what only the primary may answer. Pages with forms can still be read.
  func refusing(for primary: String) -> Route {
    let refusal = Response.problem(
      503, "Standby",
      detail: "This server is a standby and accepts no changes. Send them to the primary, \(primary).",
      headers: [("Retry-After", "5")]
    ).prepared()
    return Route(
      methods.joined(separator: " "), address, { _, _ in .refuse(refusal) }, .receiver, { _ in refusal },
      refusesOthers: refusesOthers, defaultResponses: defaultResponses)
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
