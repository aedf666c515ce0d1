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
/// memory. Two threads read the files, one at a time of each token.
struct SymbolUploads: Sendable {
  private let context: ServerContext
  private let refresher: AccessRefresher
  /// Removes old pieces.
  private let queue = DispatchQueue(label: "plumb.symbols", qos: .utility)
  /// Uploads, one at a time of each token.
  private let uploads = FairQueue<Int32>(label: "plumb.uploads", threads: 2, most: 1, limit: 64)
  private let quota: UnpackingQuota
  /// Requests of Sentry's clients, one at a time; the tokens take turns.
  private let pieces = FairQueue<Int32>(label: "plumb.pieces", threads: 1, limit: 64)
  /// Uploads of Sentry's clients; nil if the server keeps no symbols.
  private let debugFiles: DebugFileUploads?

  init(_ context: ServerContext, _ refresher: AccessRefresher) {
    self.context = context
    self.refresher = refresher
    let quota = UnpackingQuota(perHour: 16 << 30)
    self.quota = quota
    do {
      debugFiles = try context.symbols.map { try DebugFileUploads(context, $0, quota) }
    } catch {
      context.report(error)
      debugFiles = nil
    }
  }

  static let path = "/api/v1/symbols"

  /// Whether a request is a symbol upload.
  static func isUpload(_ head: borrowing RequestHead) -> Bool {
    head.path == path && head.method == "PUT"
  }

  /// Decides at the headers whether to read a request's body.
  func admit(_ head: borrowing RequestHead, at now: Timestamp) -> Admission {
    guard let symbols = context.symbols else { return .refuse(Self.none) }
    let token: AccessToken
    switch client(of: head, at: now) {
    case .failure(let refusal): return refusal.admission
    case .success(let found): token = found
    }
    guard context.room().takesUploads else { return .refuse(Self.noSpace) }
    let coding = BodyCoding(head)
    if case .unknown(let coding) = coding { return .refuse(Self.unknown(coding)) }
    if let packing = coding.packing, packing.inner != nil { return .refuse(Self.unknown("two of them")) }
    let upload = Upload(uploads: self, symbols: symbols, token: token.id, coding: coding)
    return .spool(folder: symbols.incoming, bodyLimit: context.settings.uploadLimit, responder: upload)
  }

  /// Decides at the headers about a request of a Sentry client.
  func admit(_ head: borrowing RequestHead, to address: DebugFileUploads.Address, at now: Timestamp) -> Admission {
    let admission = decide(head, address, at: now)
    if case .refuse(let response) = admission { return .refuse(DebugFileUploads.readable(response)) }
    return admission
  }

  private func decide(
    _ head: borrowing RequestHead, _ address: DebugFileUploads.Address, at now: Timestamp
  ) -> Admission {
    guard let debugFiles else { return .refuse(Self.none) }
    let token: Int32
    switch client(of: head, at: now) {
    case .failure(let refusal): return refusal.admission
    case .success(let found): token = found.id
    }
    if head.hasContentCoding { return .refuse(Self.unknown(head.header("Content-Encoding") ?? "")) }
    func queued(_ answer: @escaping @Sendable (SpooledBody?, [UInt8], Timestamp) -> Response) -> QueuedAnswer {
      QueuedAnswer(uploads: self, token: token, answer: answer)
    }
    switch (head.method, address) {
    case ("GET", .chunks(let organization)):
      return .accept(bodyLimit: 0, responder: queued { _, _, _ in debugFiles.options(organization: organization) })
    case (_, _) where head.method != "POST":
      return .refuse(
        .problem(
          405, "Method not allowed", headers: [("Allow", address == .assembly ? "POST" : "GET, POST")]))
    case (_, .chunks):
      guard context.room().takesUploads else { return .refuse(Self.noSpace) }
      guard let symbols = context.symbols, let parts = MultipartBody(contentType: head.header("Content-Type") ?? "")
      else { return .refuse(Self.noParts) }
      let answer = queued { body, _, now in debugFiles.take(body, parts, of: token, at: now) }
      return .spool(folder: symbols.incoming, bodyLimit: DebugFileUploads.mostBytes, responder: answer)
    case (_, .assembly):
      guard context.room().takesUploads else { return .refuse(Self.noSpace) }
      let answer = queued { _, body, now in debugFiles.assemble(body, of: token, at: now) }
      return .accept(bodyLimit: DebugFileUploads.mostListBytes, responder: answer)
    }
  }

  /// Answers an admitted request of a Sentry client when it is its turn.
  private struct QueuedAnswer: Responder {
    let uploads: SymbolUploads
    let token: Int32
    /// Answers a body, which is in a file or in memory.
    let answer: @Sendable (SpooledBody?, [UInt8], Timestamp) -> Response

    func respond(to request: borrowing Request, _ reply: PendingReply) {
      let (answer, spooled, body) = (answer, request.spooled, [UInt8](request.body))
      let (context, token, now) = (uploads.context, token, Timestamp(milliseconds: request.received))
      // Files that are large are joined longer than a request may take; a client that repeats it would wait again.
      reply.hold()
      let isTaken = uploads.pieces.run(for: token) {
        do { try context.control.markUsed(token: token, at: now) } catch { context.report(error) }
        reply.send(answer(spooled, body, now))
      }
      guard isTaken else { return reply.send(DebugFileUploads.readable(SymbolUploads.busy)) }
      uploads.removeUnusedLater()
    }

    func refuseBody(of head: borrowing RequestHead, over limit: Int) -> Response {
      DebugFileUploads.readable(defaultResponses.tooLarge(limit))
    }
  }

  /// Deletes old pieces by the clock, as long as there are some.
  private func removeUnusedLater() {
    guard let chunks = debugFiles?.chunks, chunks.plansRemoval() else { return }
    queue.asyncAfter(deadline: .now() + .seconds(600)) {
      chunks.removeUnused(at: context.clock())
      removeUnusedLater()
    }
  }

  private struct Refusal: Error {
    let admission: Admission
  }

  /// The token of a client that may upload, or how the request is answered without one.
  private func client(of head: borrowing RequestHead, at now: Timestamp) -> Result<AccessToken, Refusal> {
    let text = head.header("Authorization").flatMap(IngestHeaders.bearer)
    if let text, let token = context.access.knownToken(text), Permission(token, at: now)?.allows(.upload) == true {
      return .success(token)
    }
    if text == nil || head.isAskedAgain { return .failure(Refusal(admission: .refuse(Self.unauthorized))) }
    // The token may have been added a moment ago.
    return .failure(
      Refusal(admission: .askAgain { [refresher] wake in if !refresher.waits(at: now, wake) { wake() } }))
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
    let isSystem = request.head.query("system") == "true"
    let now = Timestamp(milliseconds: request.received)
    let context = context
    let isTaken = uploads.run(for: upload.token) {
      do {
        do { try context.control.markUsed(token: upload.token, at: now) } catch { context.report(error) }
        // `body` closes its descriptor, so the reader gets a duplicate.
        guard let file = OpenFile(descriptor: dup(body.descriptor)) else { return reply.send(Self.empty) }
        let read = Body(file: file, coding: coding, name: name, isSystem: isSystem, received: now)
        reply.send(try add(read, of: upload.token, to: symbols))
      } catch let error as CompressionError {
        reply.send(Self.problem(400, "Body not decompressed", error.description))
      } catch {
        context.report(error)
        reply.send(Self.full)
      }
    }
    if !isTaken { reply.send(Self.busy) }
  }

  /// What was uploaded.
  private struct Body {
    let file: OpenFile
    let coding: BodyCoding
    let name: String
    let isSystem: Bool
    let received: Timestamp
  }

  /// Stores an upload. What it decompresses to is bounded by its size, and by what the token has left.
  private func add(_ body: Body, of token: Int32, to symbols: SymbolFolder) throws -> Response {
    let left = quota.left(token, at: body.received)
    let most = min(left, SymbolFolder.mostUnpacked(from: body.file.count))
    var room = most
    // A plain binary is not decompressed; an archive that finds no room is refused below.
    defer { quota.take(most - room, of: token, at: body.received) }
    var (file, written): (OpenFile, TemporaryFile?) = (body.file, nil)
    if case .packed(let packing) = body.coding {
      do {
        let plain = try symbols.unpack(body.file, packing.outer, limit: room)
        (file, written) = (try plain.reopened(), plain)
        room -= file.count
      } catch let error as CompressionError where error.kind == .tooLarge {
        room = 0
        if most == left { return UnpackingQuota.exhausted }
        throw error
      }
    }
    let receipt = try symbols.add(
      file, named: body.name, isSystem: body.isSystem, at: body.received, room: &room, written: written)
    if !receipt.holdsSymbols, most == left, left < SymbolFolder.mostUnpacked(from: body.file.count) {
      return UnpackingQuota.exhausted
    }
    return try Self.answer(receipt)
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
  private static let busy = Response.problem(
    503, "Busy", detail: "Too many uploads wait. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
  private static let noParts = problem(
    400, "Body not understood", "Send pieces as multipart/form-data, in parts called file or file_gzip."
  ).prepared()
  static let full = Response.problem(
    503, "Not stored", detail: "The symbols could not be written to disk. Try again later.",
    headers: [("Retry-After", "60")]
  ).prepared()
}
