import Core
import Glibc
import Storage
import Symbols
import Synchronization

/// Receives symbol uploads: `PUT /api/v1/symbols`. The body is written to a file, so that half a gigabyte needs no
/// memory.
struct SymbolUploads: Sendable {
  private let backend: any ServerBackend
  private let refresher: AccessRefresher
  let quota = UnpackingQuota(perHour: 16 << 30)

  init(_ backend: any ServerBackend, _ refresher: AccessRefresher) {
    (self.backend, self.refresher) = (backend, refresher)
  }

  /// Only clients that may upload send bodies.
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

  /// Admits a request as `admit` says if its token allows uploads.
  func admit(_ head: borrowing RequestHead, _ admit: (AccessToken) -> Admission) -> Admission {
    refresher.admit(
      head, unauthorized: Self.unauthorized, where: { Permission($0, at: $1)?.allows(.upload) == true }, admit)
  }

  /// Stores an upload.
  func take(_ call: Call) -> Response {
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
      return Response(status: 200, headers: headers, body: receipt.json())
    }
    guard let first = receipt.refused.first else { return empty }
    return .problem(
      400, "No symbols taken", detail: "\(first.name): \(first.reason)",
      ["refused": receipt.refused.output])
  }

  private static func problem(_ status: Int, _ title: String, _ detail: String) -> Response {
    .problem(status, title, detail: detail)
  }

  static func unknown(_ coding: String) -> Response {
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
  static let none = problem(404, "No symbols here", "This server keeps no symbols.").prepared()
  private static let empty = problem(
    400, "No symbols taken",
    "There is no dSYM in it. Send one DWARF file (TARGET.dSYM/Contents/Resources/DWARF/NAME), or a zip of dSYMs."
  ).prepared()
  static let noSpace = Response.problem(
    503, "No space", detail: "The server's disk has little room left: symbols are not stored until there is more.",
    headers: [("Retry-After", "3600")]
  ).prepared()
  static let busy = Response.problem(
    503, "Busy", detail: "Too many uploads wait. Try again shortly.", headers: [("Retry-After", "2")]
  ).prepared()
  static let full = Response.problem(
    503, "Not stored", detail: "The symbols could not be written to disk. Try again later.",
    headers: [("Retry-After", "60")]
  ).prepared()
}

/// The bytes that a token's uploads may decompress to or be joined to within an hour. They grow back steadily.
final class UnpackingQuota: Sendable {
  private struct Account {
    var left: Int
    var updated: Timestamp
  }

  private let most: Int
  private let accounts = Mutex<[Int32: Account]>([:])
  private static let hour: Int64 = 3_600_000

  init(perHour most: Int) { self.most = max(1, most) }

  /// What the token has left now.
  func left(_ token: Int32, at now: Timestamp) -> Int { accounts.withLock { refilled($0[token], now).left } }

  /// Takes what an upload was decompressed to.
  func take(_ bytes: Int, of token: Int32, at now: Timestamp) {
    accounts.withLock { accounts in
      var account = refilled(accounts[token], now)
      account.left = max(0, account.left - max(0, bytes))
      // A full account equals a missing one.
      accounts = accounts.filter { refilled($0.value, now).left < most }
      accounts[token] = account
    }
  }

  private func refilled(_ account: Account?, _ now: Timestamp) -> Account {
    guard var account else { return Account(left: most, updated: now) }
    let (passed, overflow) = now.milliseconds.subtractingReportingOverflow(account.updated.milliseconds)
    let elapsed = overflow ? Self.hour : min(Self.hour, max(0, passed))
    account.left = min(most, account.left + Int(Double(most) * Double(elapsed) / Double(Self.hour)))
    account.updated = now
    return account
  }

  /// The answer to an upload that would decompress to more than the token has left.
  static let exhausted = Response.problem(
    429, "Too much unpacked",
    detail: "The uploads of this token decompressed to as much as one token's may within an hour. Try again later.",
    headers: [("Retry-After", "600")]
  ).prepared()
}
