import Core
import Storage

/// The routes of standbys, for tokens with the scope `standby`, and the exchange of epochs, which is signed.
final class StandbyRoutes: Sendable {
  private let backend: any ServerBackend
  private let refresher: AccessCacheRefresher

  init(_ backend: any ServerBackend, _ refresher: AccessCacheRefresher) {
    (self.backend, self.refresher) = (backend, refresher)
  }

  /// Admits standbys of the same version.
  func admit(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    let version = head.header("Plumb-Version")
    return refresher.admit(
      head, unauthorized: Self.unauthorized, where: { Permission($0, at: $1)?.allows(.replicate) == true }
    ) { token in
      guard version == backend.replication.version else {
        return .refuse(
          .problem(
            422, "Another version",
            detail: "This server is \(backend.replication.version), the standby \(version ?? "unknown"). Install the "
              + "same version of Plumb on both."))
      }
      return .accept(bodyLimit: 0, responder: match.responder(token))
    }
  }

  func records(_ call: RoutedRequest) throws -> Response {
    let request = call.request
    guard let after = request.query("after").flatMap(Int64.init), after >= 0,
      let erasures = request.query("erasures").flatMap(Int.init), let address = request.query("address"),
      address.utf8.count <= 500,
      address.hasPrefix("https://") || address.hasPrefix("http://")
    else { return Self.malformed }
    if let token = call.token {
      let received = Timestamp(milliseconds: call.request.received)
      do { try backend.control.markUsed(token: token.id, at: received) } catch { backend.report(error) }
    }
    return Self.bytes(
      try backend.replication.records(
        StandbyPosition(
          after: after, check: request.query("check").flatMap(UInt64.init), erasures: erasures, address: address)))
  }

  func control(_ call: RoutedRequest) throws -> Response { Self.bytes(try backend.replication.controlDatabase()) }

  func makeCopy(_ call: RoutedRequest) throws -> Response {
    guard let manifest = try backend.replication.copy() else {
      return Response(status: 202, headers: [("Cache-Control", "no-store")])
    }
    return Self.bytes(manifest)
  }

  func fileOfCopy(_ call: RoutedRequest) throws -> Response { try file(call, ofCopy: true) }

  func files(_ call: RoutedRequest) throws -> Response {
    guard call.request.query("path") != nil else { return Self.bytes(try backend.replication.files()) }
    return try file(call, ofCopy: false)
  }

  private func file(_ call: RoutedRequest, ofCopy: Bool) throws -> Response {
    guard let path = call.request.query("path"), let offset = call.request.query("from").flatMap(Int.init), offset >= 0
    else { return Self.malformed }
    guard let part = try backend.replication.file(path, from: offset, ofCopy: ofCopy) else {
      return .problem(404, "No such file", detail: "There is no file \(path.prefix(200)) to copy.")
    }
    return Self.bytes(part)
  }

  func exchange(_ call: RoutedRequest) throws -> Response {
    guard let own = try backend.replication.exchange(Array(call.request.content.bytes)) else {
      return .problem(403, "Not signed", detail: "The epoch is not signed with the secret of this installation.")
    }
    return .json(own, headers: [("Cache-Control", "no-store")])
  }

  private static func bytes(_ body: [UInt8]) -> Response {
    Response(
      status: 200, headers: [("Content-Type", "application/octet-stream"), ("Cache-Control", "no-store")], body: body)
  }

  private static let malformed = Response.problem(
    400, "Not understood", detail: "The parameters are not those of a standby of this version.")
  static let busy = Response.problem(503, "Busy", headers: [("Retry-After", "1")]).prepared()
  private static let unauthorized = Response.problem(
    401, "Standby token needed",
    detail:
      "Send a standby token as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME --standby`.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
}
