import Access
import Compression
import Dispatch
import Glibc
import HTTP
import JSON
import Storage
import Symbols
import Telemetry

/// Receives symbol uploads: `PUT /api/v1/symbols`. The body is written to a file, so that half a gigabyte needs no
/// memory. A separate thread reads the files, one at a time.
struct SymbolUploads: Sendable {
  private let context: ServerContext
  private let refresher: AccessRefresher
  private let queue = DispatchQueue(label: "plumb.symbols", qos: .utility)

  init(_ context: ServerContext, _ refresher: AccessRefresher) {
    self.context = context
    self.refresher = refresher
  }

  static let path = "/api/v1/symbols"

  /// Whether a request is a symbol upload.
  static func isUpload(_ head: borrowing RequestHead) -> Bool {
    head.path == path && head.method == "PUT"
  }

  /// Decides at the headers whether to read a request's body.
  func admit(_ head: borrowing RequestHead, at now: Timestamp) -> Admission {
    guard let symbols = context.symbols else { return .refuse(Self.none) }
    let text = head.header("Authorization").flatMap(IngestHeaders.bearer)
    guard let text, let token = context.access.knownToken(text),
      Permission(token, at: now)?.allows(.upload) == true
    else {
      if text == nil || head.isAskedAgain { return .refuse(Self.unauthorized) }
      // The token may have been added a moment ago.
      return .askAgain { [refresher] wake in if !refresher.waits(at: now, wake) { wake() } }
    }
    guard context.room().takesUploads else { return .refuse(Self.noSpace) }
    let coding = BodyCoding(head)
    if case .unknown(let coding) = coding { return .refuse(Self.unknown(coding)) }
    if let packing = coding.packing, packing.inner != nil { return .refuse(Self.unknown("two of them")) }
    let upload = Upload(uploads: self, symbols: symbols, token: token.id, coding: coding)
    return .spool(folder: symbols.incoming, bodyLimit: context.settings.uploadLimit, responder: upload)
  }

  /// An upload that was admitted at its headers.
  private struct Upload: Responder {
    let uploads: SymbolUploads
    let symbols: SymbolFolder
    let token: Int32
    let coding: BodyCoding

    func respond(to request: borrowing Request, _ reply: PendingReply) { uploads.take(self, request, reply) }
  }

  private func take(_ upload: Upload, _ request: borrowing Request, _ reply: PendingReply) {
    guard let body = request.spooled else { return reply.send(Self.unauthorized) }
    let (symbols, coding) = (upload.symbols, upload.coding)
    let name = request.head.query("name") ?? "symbols"
    let now = Timestamp(milliseconds: request.received)
    let context = context
    queue.async {
      do {
        do { try context.control.markUsed(token: upload.token, at: now) } catch { context.report(error) }
        // `body` closes its descriptor, so the reader gets a duplicate.
        guard var file = OpenFile(descriptor: dup(body.descriptor)) else { return reply.send(Self.empty) }
        if case .packed(let packing) = coding {
          file = try symbols.unpacked(file, packing.outer, limit: context.settings.uploadLimit * 4)
        }
        reply.send(try Self.answer(symbols.add(file, named: name, at: now)))
      } catch let error as CompressionError {
        reply.send(Self.problem(400, "Body not decompressed", error.description))
      } catch {
        context.report(error)
        reply.send(Self.full)
      }
    }
  }

  private static func answer(_ receipt: SymbolReceipt) throws -> Response {
    if receipt.holdsSymbols {
      let headers = [("Content-Type", "application/json")]
      return Response(status: 200, headers: headers, body: SymbolJSON.receipt(receipt))
    }
    guard let first = receipt.refused.first else { return empty }
    return .problem(
      400, "No symbols taken", detail: "\(first.name): \(first.reason)",
      ["refused": .array(receipt.refused.map(Self.json))])
  }

  private static func json(_ refused: SymbolReceipt.Refusal) -> JSONOutput {
    .object([("name", .string(refused.name)), ("reason", .string(refused.reason))])
  }

  private static func problem(_ status: Int, _ title: String, _ detail: String) -> Response {
    .problem(status, title, detail: detail)
  }

  private static func unknown(_ coding: String) -> Response {
    .problem(
      415, "Content encoding not supported",
      detail: "Send the body plain or with one of gzip, deflate, br and zstd; Content-Encoding was: "
        + String(decoding: coding.utf8.prefix(80), as: UTF8.self),
      headers: [("Accept-Encoding", "gzip, deflate, br, zstd")])
  }

  private static let unauthorized = Response.problem(
    401, "Upload token needed",
    detail:
      "Send a token for uploads as `Authorization: Bearer TOKEN`. `plumb token add ci --uploads` makes one. Neither "
      + "an app's key, which everybody has who has the app, nor a read token will do.",
    headers: [("WWW-Authenticate", "Bearer")]
  ).prepared()
  private static let none = problem(404, "No symbols here", "This server keeps no symbols.").prepared()
  private static let empty = problem(
    400, "No symbols taken",
    "There is no dSYM in it. Send one DWARF file (TARGET.dSYM/Contents/Resources/DWARF/NAME), or a zip of dSYMs."
  ).prepared()
  private static let noSpace = Response.problem(
    503, "No space", detail: "The server's disk has little room left: symbols are not stored until there is more.",
    headers: [("Retry-After", "3600")]
  ).prepared()
  private static let full = Response.problem(
    503, "Not stored", detail: "The symbols could not be written to disk. Try again later.",
    headers: [("Retry-After", "60")]
  ).prepared()
}
