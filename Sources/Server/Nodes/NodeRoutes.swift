import Access
import Bytes
import HTTP
import JSON
import Storage
import Telemetry

/// The two routes of ingest nodes: `GET /api/v1/nodes/configuration` and `POST /api/v1/nodes/{node}/records?after=N`. Only
/// a token of the scope `node` may use them.
final class NodeRoutes: Sendable {
  private let context: ServerContext
  private let refresher: AccessRefresher
  /// One delivery at a time, whose records are in memory; the tokens take turns.
  private let queue = FairQueue<Int32>(label: "plumb.nodes", threads: 1, limit: 256)
  private let memory = BodyMemoryPool(limit: 32 << 20)

  init(_ context: ServerContext, _ refresher: AccessRefresher) {
    (self.context, self.refresher) = (context, refresher)
  }

  enum Address: Equatable {
    case configuration
    case records(node: String)

    init?(_ segments: [String]) {
      guard segments.prefix(3) == ["api", "v1", "nodes"] else { return nil }
      switch segments.count {
      case 4 where segments[3] == "configuration": self = .configuration
      case 5 where segments[4] == "records": self = .records(node: segments[3])
      default: return nil
      }
    }

    /// Whether a path may be one of these, which is quicker to say than its segments.
    static func isBelow(_ path: String) -> Bool { path.utf8.starts(with: "/api/v1/nodes/".utf8) }

    var method: String { self == .configuration ? "GET" : "POST" }
  }

  /// The largest body as sent, in bytes. A node sends 4 MiB of records at once, compressed, unless one request has more.
  static let mostBytes = 16 << 20

  /// Decides at the headers: only nodes send bodies.
  func admit(_ head: borrowing RequestHead, to address: Address, at now: Timestamp) -> Admission {
    guard let service = context.nodes else { return .refuse(Self.none) }
    guard head.method == address.method else {
      return .refuse(.problem(405, "Method not allowed", headers: [("Allow", address.method)]))
    }
    let text = head.header("Authorization").flatMap(IngestHeaders.bearer)
    guard let text, let token = context.access.knownToken(text), Permission(token, at: now)?.allows(.relay) == true
    else {
      if text == nil || head.isAskedAgain { return .refuse(Self.unauthorized) }
      // The token may have been added a moment ago.
      return .askAgain { [refresher] wake in if !refresher.waits(at: now, wake) { wake() } }
    }
    switch address {
    case .configuration:
      let known = head.header("If-None-Match")
      return .accept(
        bodyLimit: 0,
        responder: Answering(routes: self, token: token) { _ in
          let body = try service.configuration()
          let tag = EntityTag.of(body)
          let headers = [("ETag", tag), ("Cache-Control", "no-store")]
          return EntityTag.matches(known, tag)
            ? Response(status: 304, headers: headers) : .json(body, headers: headers)
        })
    case .records(let text):
      guard let node = NodeID(checking: text), let after = head.query("after").flatMap(Int64.init), after >= 0 else {
        return .refuse(Self.malformed("The address is /api/v1/nodes/{node}/records?after={sequence}."))
      }
      let name = CleanText.name(head.query("name") ?? "", atMost: 100)
      return .accept(
        bodyLimit: Self.mostBytes, account: BodyAccount(in: memory, mayTakeAll: true),
        responder: Answering(routes: self, token: token) { body in
          let delivery = NodeService.Delivery(
            node: node, name: name.isEmpty ? text : name, token: token.name, after: after, body: body)
          return Self.response(to: try service.take(delivery))
        })
    }
  }

  /// Answers an admitted request when it is its turn.
  private struct Answering: Responder {
    let routes: NodeRoutes
    let token: AccessToken
    let answer: @Sendable (ReceivedBody) throws -> Response

    func respond(to request: borrowing Request, _ reply: PendingReply) {
      let (body, now) = (request.takeBody(), Timestamp(milliseconds: request.received))
      let (context, token, answer) = (routes.context, token, answer)
      // What is taken is taken, however long the disk needs: the node would send it again, and be told so.
      reply.hold()
      let isTaken = routes.queue.run(for: token.id) {
        do {
          do { try context.control.markUsed(token: token.id, at: now) } catch { context.report(error) }
          reply.send(try answer(body))
        } catch {
          context.report(error)
          reply.send(NodeRoutes.unavailable(seconds: 5))
        }
      }
      if !isTaken { reply.send(NodeRoutes.unavailable(seconds: 1)) }
    }
  }

  private static func response(to answer: NodeService.Answer) -> Response {
    switch answer {
    case .taken(let position, let refused):
      .json(
        JSONOutput.object([
          ("position", .integer(position)), ("refused", .count(refused.values.reduce(0) { $0 + $1 })),
          (
            "reasons",
            .array(
              refused.sorted { $0.key < $1.key }.map {
                .object([("reason", .string($0.key)), ("records", .count($0.value))])
              })
          ),
        ]).encoded(),
        headers: [("Cache-Control", "no-store")])
    case .elsewhere(let position):
      .problem(
        409, "Another position", detail: "The records of this node are here up to \(position): go on from there.",
        ["position": .integer(position)])
    case .tooManyNodes:
      .problem(
        403, "Too many nodes",
        detail: "This server knows \(IngestNode.most) ingest nodes. `plumb nodes forget` makes room for another.")
    case .foreign:
      .problem(
        403, "Another installation",
        detail: "The node's folder is of another installation, whose ids do not hash alike. Begin with an empty folder."
      )
    case .newerVersion:
      .problem(422, "A newer version", detail: "The node is newer than this server. Upgrade the primary first.")
    case .malformed(let problem): malformed(problem)
    case .unavailable(let seconds): unavailable(seconds: seconds)
    }
  }

  private static func malformed(_ detail: String) -> Response { .problem(400, "Not understood", detail: detail) }

  private static func unavailable(seconds: Int) -> Response {
    .problem(
      503, "Not taken", detail: "The records cannot be taken now. They stay on the node.",
      headers: [("Retry-After", "\(seconds)")])
  }

  private static let none = Response.problem(404, "No nodes here", detail: "This server takes no ingest nodes.")
  private static let unauthorized = Response.problem(
    401, "Node token needed",
    detail:
      "Send the token of an ingest node as `Authorization: Bearer TOKEN`. `plumb token add NAME --node` makes one.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
}
