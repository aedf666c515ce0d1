import Core
internal import Storage

/// The routes of ingest nodes. Only tokens with the scope `node` may use them.
final class NodeRoutes: Sendable {
  private let backend: any ServerBackend
  private let refresher: AccessCacheRefresher
  private let memory = BodyMemoryPool(limit: 32 << 20)

  init(_ backend: any ServerBackend, _ refresher: AccessCacheRefresher) {
    (self.backend, self.refresher) = (backend, refresher)
  }

  /// The largest body as sent, in bytes. A node sends 4 MiB of compressed records at once, or more if one request is
  /// larger.
  static let mostBytes = 16 << 20

  func admitConfiguration(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    admit(head, "GET") { .accept(bodyLimit: 0, responder: match.responder($0)) }
  }

  /// Admits requests of nodes; only these may send bodies.
  func admitRecords(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    let isClear = Self.origin(match.arguments, head.query("after")) != nil
    return admit(head, "POST") { token in
      guard isClear else {
        return .refuse(Self.malformed("Invalid address; expected /api/v1/nodes/{node}/records?after={sequence}."))
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

  /// The node of an address, and the sequence number after which its records start.
  private static func origin(_ arguments: [String], _ after: String?) -> (node: NodeID, after: Int64)? {
    guard let node = NodeID(checking: arguments[0]), let after = after.flatMap(Int64.init), after >= 0 else {
      return nil
    }
    return (node, after)
  }

  func configuration(_ call: RoutedRequest) -> Response {
    answer(call) { _ in
      _ = try backend.nodes.epoch(known: Self.epoch(call))
      let body = try backend.nodes.configuration()
      let tag = EntityTag.of(body)
      let headers = [("ETag", tag), ("Cache-Control", "no-store")]
      return EntityTag.matches(call.request.header("If-None-Match"), tag)
        ? Response(status: 304, headers: headers) : .json(body, headers: headers)
    }
  }

  // The request has no deadline: the records are stored in any case, and a node that got no answer would resend them.
  func records(_ call: RoutedRequest) -> Response {
    answer(call) { token in
      guard let (node, after) = Self.origin(call.arguments, call.request.query("after")) else {
        return Self.malformed("Invalid address; expected /api/v1/nodes/{node}/records?after={sequence}.")
      }
      let known = Self.epoch(call)
      let epoch = try backend.nodes.epoch(known: known)
      let name = SanitizedText.name(call.request.query("name") ?? "", atMost: 100)
      let delivery = NodeDelivery(
        node: node, name: name.isEmpty ? node.text : name, token: token.name, after: after,
        acknowledged: call.request.query("acknowledged").flatMap(Int64.init) ?? known.number,
        body: call.request.content)
      return Self.response(to: try backend.nodes.take(delivery), epoch)
    }
  }

  private func answer(_ call: RoutedRequest, _ answer: (AccessToken) throws -> Response) -> Response {
    guard let token = call.token else { return Self.unauthorized }
    do {
      let received = Timestamp(milliseconds: call.request.received)
      do { try backend.control.markUsed(token: token.id, at: received) } catch { backend.report(error) }
      return try answer(token)
    } catch let error as RivalPrimaries {
      return .problem(503, "Two primaries", detail: "\(error)", headers: [("Retry-After", "5")])
    } catch let error as SupersededPrimary {
      return .problem(503, "Replaced", detail: "\(error)", headers: [("Retry-After", "5")])
    } catch {
      backend.report(error)
      return Self.unavailable(seconds: 5)
    }
  }

  /// The highest epoch that the node of a request has seen; 0 for a node of an earlier version.
  private static func epoch(_ call: RoutedRequest) -> Epoch {
    let promotion = call.request.query("promotion").flatMap {
      $0.isEmpty || $0.utf8.count > Epoch.longestPromotion ? nil : $0
    }
    return Epoch(number: max(0, call.request.query("epoch").flatMap(Int64.init) ?? 0), promotion: promotion)
  }

  private static func response(to answer: NodeDelivery.Answer, _ epoch: Epoch) -> Response {
    switch answer {
    case .taken(let position, let refused):
      .json(
        JSONOutput.object([
          ("position", .integer(position)), ("epoch", .integer(epoch.number)),
          ("promotion", .optional(epoch.promotion)),
          ("refused", .count(refused.values.reduce(0) { $0 + $1 })),
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
        409, "Wrong position", detail: "The server has this node's records up to \(position). Continue after that.",
        [
          "position": .integer(position), "epoch": .integer(epoch.number), "promotion": .optional(epoch.promotion),
        ])
    case .tooManyNodes:
      .problem(
        403, "Too many nodes",
        detail: "The limit is \(IngestNode.most) ingest nodes. To remove one, run `plumb nodes forget`.")
    case .foreign:
      .problem(
        403, "Another installation",
        detail: "The node's data folder belongs to another installation. Start the node with an empty folder."
      )
    case .newerVersion:
      .problem(422, "Newer version", detail: "The node is newer than this server. Upgrade the primary first.")
    case .malformed(let problem): malformed(problem)
    case .unavailable(let seconds): unavailable(seconds: seconds)
    }
  }

  private static func malformed(_ detail: String) -> Response { .problem(400, "Not understood", detail: detail) }

  private static func unavailable(seconds: Int) -> Response {
    .problem(
      503, "Not accepted", detail: "The server cannot accept records now. They stay on the node.",
      headers: [("Retry-After", "\(seconds)")])
  }

  static let busy = unavailable(seconds: 1).prepared()
  private static let unauthorized = Response.problem(
    401, "Node token needed",
    detail:
      "Send a node token as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME --node`.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
}
