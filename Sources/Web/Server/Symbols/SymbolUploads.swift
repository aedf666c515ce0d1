import Core
import Glibc
import Storage
import Symbols

/// Receives symbol uploads: `PUT /api/v1/symbols`. The body is written to a file, so large uploads need no memory.
struct SymbolUploads: Sendable {
  private let backend: any ServerBackend
  private let refresher: AccessCacheRefresher
  let quota = UploadQuota(perHour: 16 << 30)

  init(_ backend: any ServerBackend, _ refresher: AccessCacheRefresher) {
    (self.backend, self.refresher) = (backend, refresher)
  }

  /// Admits requests with an upload token; only these may send bodies.
  func admit(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    let coding = BodyCoding(head)
    return admit(head) { token in
      guard backend.room().takesUploads else { return .refuse(Self.noSpace) }
      if case .unknown(let coding) = coding { return .refuse(Self.unknown(coding)) }
      if let packing = coding.packing, packing.inner != nil { return .refuse(Self.unknown("two of them")) }
      return .spool(
        folder: backend.symbols.incoming, bodyLimit: backend.settings.uploadLimit, responder: match.responder(token))
    }
  }

  /// Returns the admission from `admit` if the request's token allows uploads; otherwise refuses the request.
  func admit(_ head: borrowing RequestHead, _ admit: (AccessToken) -> Admission) -> Admission {
    refresher.admit(
      head, unauthorized: Self.unauthorized, where: { Permission($0, at: $1)?.allows(.upload) == true }, admit)
  }

  /// Stores an upload.
  func take(_ call: RoutedRequest) -> Response {
    guard let token = call.token, let body = call.request.spooled else { return Self.unauthorized }
    let now = Timestamp(milliseconds: call.request.received)
    do {
      do { try backend.control.markUsed(token: token.id, at: now) } catch { backend.report(error) }
      // `body` closes its descriptor, so the reader gets a duplicate.
      guard let file = OpenFile(descriptor: dup(body.descriptor)) else { return Self.empty }
      let read = Body(
        file: file, coding: BodyCoding(call.request), name: call.request.query("name") ?? "symbols",
        isSystem: call.request.query("system") == "true", received: now)
      return try add(read, of: token.id, to: backend.symbols)
    } catch let error as CompressionError {
      return Self.problem(400, "Body not decompressed", error.description)
    } catch {
      backend.report(error)
      return Self.full
    }
  }

  /// The body of an upload.
  private struct Body {
    let file: OpenFile
    let coding: BodyCoding
    let name: String
    let isSystem: Bool
    let received: Timestamp
  }

  /// Stores an upload. Its decompressed size is bounded by its size and by the token's remaining quota.
  private func add(_ body: Body, of token: Int32, to symbols: SymbolFolder) throws -> Response {
    let left = quota.left(token, at: body.received)
    let most = min(left, SymbolFolder.mostUnpacked(from: body.file.count))
    var room = most
    // A single binary is not decompressed; an archive that exceeds the quota is refused below.
    defer { quota.take(most - room, of: token, at: body.received) }
    var (file, written): (OpenFile, TemporaryFile?) = (body.file, nil)
    if case .packed(let packing) = body.coding {
      do {
        let plain = try symbols.unpack(body.file, packing.outer, limit: room)
        (file, written) = (try plain.reopened(), plain)
        room -= file.count
      } catch let error as CompressionError where error.kind == .tooLarge {
        room = 0
        if most == left { return UploadQuota.exhausted }
        throw error
      }
    }
    let receipt = try symbols.add(
      file, named: body.name, isSystem: body.isSystem, at: body.received, room: &room, written: written)
    if !receipt.holdsSymbols, most == left, left < SymbolFolder.mostUnpacked(from: body.file.count) {
      return UploadQuota.exhausted
    }
    return try Self.answer(receipt)
  }

  private static func answer(_ receipt: SymbolReceipt) throws -> Response {
    if receipt.holdsSymbols {
      let headers = [("Content-Type", "application/json")]
      return Response(status: 200, headers: headers, body: receipt.json())
    }
    guard let first = receipt.refused.first else { return empty }
    return .problem(
      400, "No symbols accepted", detail: "\(first.name): \(first.reason)",
      ["refused": receipt.refused.output])
  }

  private static func problem(_ status: Int, _ title: String, _ detail: String) -> Response {
    .problem(status, title, detail: detail)
  }

  static func unknown(_ coding: String) -> Response {
    .problem(
      415, "Content encoding not supported",
      detail: "Send the body uncompressed or with one of gzip, deflate, br and zstd; found Content-Encoding: "
        + String(decoding: coding.utf8.prefix(80), as: UTF8.self),
      headers: [("Accept-Encoding", "gzip, deflate, br, zstd")])
  }

  private static let unauthorized = Response.problem(
    401, "Upload token needed",
    detail:
      "Send an upload token as `Authorization: Bearer TOKEN`. To create one, run `plumb token add NAME --uploads`. "
      + "Read tokens and the keys of apps are not accepted.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  static let none = problem(404, "No symbols here", "This server does not store symbols.").prepared()
  private static let empty = problem(
    400, "No symbols accepted",
    "Found no dSYM. Send one DWARF file (TARGET.dSYM/Contents/Resources/DWARF/NAME), or a zip of dSYMs."
  ).prepared()
  static let noSpace = Response.problem(
    503, "No space", detail: "The server is short of disk space and does not store symbols. Try again later.",
    headers: [("Retry-After", "3600")]
  ).prepared()
  static let busy = Response.problem(
    503, "Busy", detail: "Too many uploads are waiting. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
  static let full = Response.problem(
    503, "Not stored", detail: "The symbols could not be written to disk. Try again later.",
    headers: [("Retry-After", "60")]
  ).prepared()
}
