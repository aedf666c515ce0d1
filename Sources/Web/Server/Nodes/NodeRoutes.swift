import Core
public import Storage

/// What a primary does for its ingest nodes.
public protocol NodeService: Sendable {
  /// The configuration of ingest nodes as JSON: apps, keys, settings and the folder's secret.
  func configuration() throws -> [UInt8]
  func take(_ delivery: NodeDelivery) throws -> NodeDelivery.Answer
}

/// A body with which a node relays its journal.
public struct NodeDelivery: Sendable {
  public var node: NodeID
  public var name: String
  /// The name of the token with which it came.
  public var token: String
  /// The node's sequence that the body follows.
  public var after: Int64
  public var body: ReceivedBody

  /// What became of a delivery.
  public enum Answer: Sendable {
    /// The records up to `position` are on disk. `refused`: the numbers of records that were left out, by reason, which
    /// follows "… records".
    case taken(position: Int64, refused: [String: Int])
    /// Nothing was taken: the records up to `position` are here, and the body follows another sequence.
    case elsewhere(position: Int64)
    case tooManyNodes
    /// The node's secret is another one than this installation's.
    case foreign
    /// The body is of a newer version than this server.
    case newerVersion
    /// The body is none, with what is wrong with it.
    case malformed(String)
    /// Nothing can be taken now; the node may try again after `seconds`.
    case unavailable(seconds: Int)
  }
}

/// The routes of ingest nodes. Only a token of the scope `node` may use them.
final class NodeRoutes: Sendable {
  private let backend: any ServerBackend
  private let refresher: AccessRefresher
  private let memory = BodyMemoryPool(limit: 32 << 20)

  init(_ backend: any ServerBackend, _ refresher: AccessRefresher) {
    (self.backend, self.refresher) = (backend, refresher)
  }

  /// The largest body as sent, in bytes. A node sends 4 MiB of records at once, compressed, unless one request has more.
  static let mostBytes = 16 << 20

  func admitConfiguration(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    admit(head, "GET") { .accept(bodyLimit: 0, responder: match.responder($0)) }
  }

  /// Only nodes send bodies.
  func admitRecords(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    let isClear = Self.origin(match.arguments, head.query("after")) != nil
    return admit(head, "POST") { token in
      guard isClear else {
        return .refuse(Self.malformed("The address is /api/v1/nodes/{node}/records?after={sequence}."))
      }
      return .accept(
        bodyLimit: Self.mostBytes, account: BodyAccount(in: memory, mayTakeAll: true), responder: match.responder(token)
      )
    }
  }

  private func admit(
    _ head: borrowing RequestHead, _ method: String, _ admit: (AccessToken) -> Admission
  ) -> Admission {
    guard head.method == method else {
      return .refuse(.problem(405, "Method not allowed", headers: [("Allow", method)]))
    }
    return refresher.admit(
      head, unauthorized: Self.unauthorized, where: { Permission($0, at: $1)?.allows(.relay) == true }, admit)
  }

  /// The node of an address, and the sequence that its records follow.
  private static func origin(_ arguments: [String], _ after: String?) -> (node: NodeID, after: Int64)? {
    guard let node = NodeID(checking: arguments[0]), let after = after.flatMap(Int64.init), after >= 0 else {
      return nil
    }
    return (node, after)
  }

  func configuration(_ call: Call) -> Response {
    answer(call) { _ in
      let body = try backend.nodes.configuration()
      let tag = EntityTag.of(body)
      let headers = [("ETag", tag), ("Cache-Control", "no-store")]
      return EntityTag.matches(call.request.header("If-None-Match"), tag)
        ? Response(status: 304, headers: headers) : .json(body, headers: headers)
    }
  }

  // What is taken is taken, however long the disk needs: the node would send it again, and learn so.
  func records(_ call: Call) -> Response {
    answer(call) { token in
      guard let (node, after) = Self.origin(call.arguments, call.request.query("after")) else {
        return Self.malformed("The address is /api/v1/nodes/{node}/records?after={sequence}.")
      }
      let name = CleanText.name(call.request.query("name") ?? "", atMost: 100)
      let delivery = NodeDelivery(
        node: node, name: name.isEmpty ? node.text : name, token: token.name, after: after, body: call.request.content)
      return Self.response(to: try backend.nodes.take(delivery))
    }
  }

  private func answer(_ call: Call, _ answer: (AccessToken) throws -> Response) -> Response {
    guard let token = call.token else { return Self.unauthorized }
    do {
      let received = Timestamp(milliseconds: call.request.received)
      do { try backend.control.markUsed(token: token.id, at: received) } catch { backend.report(error) }
      return try answer(token)
    } catch {
      backend.report(error)
      return Self.unavailable(seconds: 5)
    }
  }

  private static func response(to answer: NodeDelivery.Answer) -> Response {
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

  static let busy = unavailable(seconds: 1).prepared()
  private static let unauthorized = Response.problem(
    401, "Node token needed",
    detail:
      "Send the token of an ingest node as `Authorization: Bearer TOKEN`. `plumb token add NAME --node` makes one.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
}
