import Core
import Dispatch
import Glibc
import Storage
import Symbols
import Synchronization

/// Uploads of debug files in the protocol of Sentry clients (`sentry-cli debug-files upload`, fastlane's
/// `sentry_debug_files_upload`): first pieces named by their SHA-1, then a list of files with their pieces.
/// Organization and project in the address are ignored, because symbols do not belong to an app.
///
/// Source: develop.sentry.dev/backend/file-storage, and the requests of sentry-cli 3.8.2.
struct SentryDebugFileUploads: Sendable {
  private let backend: any ServerBackend
  private let uploads: SymbolUploads
  /// The folder of pieces; nil if it cannot be created.
  private let chunks: ChunkFolder?
  private let sums = StoredSums()
  /// Removes old pieces.
  private let queue = DispatchQueue(label: "plumb.symbols", qos: .utility)

  init(_ backend: any ServerBackend, _ uploads: SymbolUploads) {
    (self.backend, self.uploads) = (backend, uploads)
    do {
      chunks = try ChunkFolder(of: backend.symbols, limit: 4 * backend.settings.uploadLimit)
    } catch {
      backend.report(error)
      chunks = nil
    }
  }

  // MARK: - At the headers

  /// Admits requests about pieces: `GET` returns how to send them, `POST` sends them.
  func admitPieces(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    let type = head.header("Content-Type") ?? ""
    return admit(head, "GET, POST") { method, token in
      let responder = match.responder(token, tooLarge: Self.tooLarge)
      if method == "GET" { return .accept(bodyLimit: 0, responder: responder) }
      guard backend.room().takesUploads else { return .refuse(SymbolUploads.noSpace) }
      guard MultipartBody(contentType: type) != nil else { return .refuse(Self.noParts) }
      return .spool(folder: backend.symbols.incoming, bodyLimit: Self.mostBytes, responder: responder)
    }
  }

  /// Admits lists of files with their pieces.
  func admitList(_ head: borrowing RequestHead, _ match: RouteMatch) -> Admission {
    admit(head, "POST") { _, token in
      guard backend.room().takesUploads else { return .refuse(SymbolUploads.noSpace) }
      return .accept(
        bodyLimit: Self.mostListBytes, responder: match.responder(token, tooLarge: Self.tooLarge))
    }
  }

  private func admit(
    _ head: borrowing RequestHead, _ methods: String, _ admit: (String, AccessToken) -> Admission
  ) -> Admission {
    guard chunks != nil else { return .refuse(Self.readable(SymbolUploads.none)) }
    let (method, coding) = (head.method, head.hasContentCoding ? head.header("Content-Encoding") ?? "" : nil)
    let admission = uploads.admit(head) { token in
      if let coding { return .refuse(SymbolUploads.unknown(coding)) }
      guard methods.split(separator: ", ").contains(method[...]) else {
        return .refuse(.problem(405, "Method not allowed", headers: [("Allow", methods)]))
      }
      return admit(method, token)
    }
    if case .refuse(let response) = admission { return .refuse(Self.readable(response)) }
    return admission
  }

  private static let tooLarge: @Sendable (Int) -> Response = { readable(DefaultResponses.standard.tooLarge($0)) }
  private static let noParts = problem(
    400, "Body not understood", "Send pieces as multipart/form-data, in parts named file or file_gzip.")
  static let busy = readable(SymbolUploads.busy).prepared()

  // MARK: - When it is the client's turn

  func takePieces(_ call: RoutedRequest) -> Response {
    answer(call) { token, now in
      guard call.request.method == "POST" else { return options(organization: call.arguments[0]) }
      guard let parts = MultipartBody(contentType: call.request.header("Content-Type") ?? "") else {
        return Self.noParts
      }
      return take(call.request.spooled, parts, of: token, at: now)
    }
  }

  func assemble(_ call: RoutedRequest) -> Response {
    answer(call) { assemble(call.request.content.bytes, of: $0, at: $1) }
  }

  private func answer(_ call: RoutedRequest, _ answer: (Int32, Timestamp) -> Response) -> Response {
    guard let token = call.token?.id else { return Self.readable(SymbolUploads.none) }
    let now = Timestamp(milliseconds: call.request.received)
    defer { removeUnusedLater() }
    do { try backend.control.markUsed(token: token, at: now) } catch { backend.report(error) }
    return answer(token, now)
  }

  /// Schedules the deletion of old pieces as long as there are any.
  private func removeUnusedLater() {
    guard let chunks, chunks.plansRemoval() else { return }
    queue.asyncAfter(deadline: .now() + .seconds(600)) {
      chunks.removeUnused(at: backend.now())
      removeUnusedLater()
    }
  }

  /// The largest request with pieces, in bytes: the size that `options` announces plus the headers of its parts.
  static let mostBytes = 34 << 20
  /// The largest list of files, in bytes.
  static let mostListBytes = 1 << 20
  private static let mostParts = 64
  private static let mostFiles = 1_000

  /// The response that tells a client how to send pieces.
  private func options(organization: String) -> Response {
    let members: [(String, JSONOutput)] = [
      // Relative to the address at which the client reaches this server, which a proxy may have changed.
      ("url", .string("organizations/\(PercentEncoding.encode(organization))/chunk-upload/")),
      ("chunkSize", .count(ChunkFolder.mostBytes)), ("chunksPerRequest", .count(Self.mostParts)),
      ("maxFileSize", .count(backend.settings.uploadLimit)), ("maxRequestSize", .count(32 << 20)),
      ("concurrency", .count(1)), ("hashAlgorithm", .string("sha1")), ("compression", .array([.string("gzip")])),
      ("accept", .array([.string("debug_files")])),
    ]
    return .json(JSONOutput.object(members).encoded())
  }

  /// Stores the pieces of a request.
  private func take(_ body: SpooledBody?, _ multipart: MultipartBody, of owner: Int32, at now: Timestamp) -> Response {
    // `body` closes its descriptor, so the reader gets a duplicate.
    guard let chunks else { return Self.readable(SymbolUploads.none) }
    guard let body, let file = OpenFile(descriptor: dup(body.descriptor)), let mapped = MappedFile(file) else {
      return Self.problem(400, "Body not understood", "The body is empty.")
    }
    let left = uploads.quota.left(owner, at: now)
    if left < ChunkFolder.mostBytes { return Self.readable(UploadQuota.exhausted) }
    let most = min(left, SymbolFolder.mostUnpacked(from: file.count))
    var room = most
    defer { uploads.quota.take(most - room, of: owner, at: now) }
    do {
      for part in try multipart.parts(of: mapped.bytes, atMost: Self.mostParts) {
        let outcome: ChunkFolder.Outcome
        switch part.name {
        case "file": outcome = try chunks.add(part.content, named: part.fileName, of: owner, at: now)
        case "file_gzip":
          let limit = min(ChunkFolder.mostBytes, room)
          let plain = try Compression.decompress(part.content, .gzip, limit: limit)
          room -= plain.count
          outcome = try plain.withOutput { try chunks.add($0, named: part.fileName, of: owner, at: now) }
        default: return Self.problem(400, "Piece refused", "Unknown part; expected the name file or file_gzip.")
        }
        switch outcome {
        case .stored: continue
        case .damaged:
          return Self.problem(400, "Piece refused", "The SHA-1 of a piece differs from its file name.")
        case .full: return Self.full
        }
      }
      return .json("{}")
    } catch let problem as MultipartBody.Problem {
      return Self.problem(400, "Body not understood", problem.description)
    } catch let error as CompressionError {
      return Self.problem(400, "Piece refused", error.description)
    } catch {
      backend.report(error)
      return Self.readable(SymbolUploads.full)
    }
  }

  private struct Wanted {
    var sum: String
    var name: String
    var uuid: String?
    var chunks: [String]
  }

  /// Stores each listed file whose pieces are complete, and returns the missing pieces of the others.
  private func assemble(_ body: UnsafeRawBufferPointer, of owner: Int32, at now: Timestamp) -> Response {
    guard let chunks else { return Self.readable(SymbolUploads.none) }
    let list: [Wanted]
    do {
      list = try Self.list(body)
    } catch {
      return Self.problem(400, "List not understood", "\(error)")
    }
    do {
      // A piece may occur in many lists, and repeatedly in one list, so the joined size is bounded by the bytes sent.
      let left = uploads.quota.left(owner, at: now)
      let most = Self.mostJoined(from: chunks.size(of: Set(list.flatMap(\.chunks)), owner: owner))
      if left < most { return Self.readable(UploadQuota.exhausted) }
      var rest = most
      defer { uploads.quota.take(most - rest, of: owner, at: now) }
      let states = try list.map { (wanted: $0, state: try state(of: $0, in: chunks, owner, now, &rest)) }
      // Remove pieces last, because two files may share a piece.
      for (wanted, state) in states where state.isSettled { chunks.remove(wanted.chunks, of: owner) }
      return .json(JSONOutput.object(states.map { ($0.wanted.sum, $0.state.json(of: $0.wanted)) }).encoded())
    } catch {
      backend.report(error)
      return Self.readable(SymbolUploads.full)
    }
  }

  /// The maximum joined size, in bytes, of pieces with `size` bytes in total. Few files share or repeat pieces.
  private static func mostJoined(from size: Int) -> Int { (16 << 20) + 2 * size }

  private static func list(_ body: UnsafeRawBufferPointer) throws -> [Wanted] {
    try JSONParser(maximumDepth: 8).withDocument(body) { root in
      var list: [Wanted] = []
      for (key, value) in try root.object() {
        guard list.count < mostFiles else { throw MultipartBody.Problem("more than \(mostFiles) files") }
        let file = try value.object()
        let names = try file.required("chunks").array().map { try $0.text().string }
        list.append(
          Wanted(
            sum: key.string, name: try file["name"]?.text().string ?? "symbols",
            uuid: try file["debug_id"].flatMap { UUIDText.canonical(try $0.text().string.prefix(36)) }, chunks: names))
      }
      return list
    }
  }

  private enum State {
    case missing([String])
    case stored(StoredSymbols?)
    case refused(String)

    /// Whether the pieces are no longer needed.
    var isSettled: Bool { if case .missing = self { false } else { true } }

    func json(of wanted: Wanted) -> JSONOutput {
      switch self {
      case .missing(let names):
        .object([("state", .string("not_found")), ("missingChunks", .array(names.map { .string($0) }))])
      case .stored(let symbols):
        .object([
          ("state", .string("ok")), ("missingChunks", .array([])), ("detail", .null),
          ("dif", symbols.map { SentryDebugFileUploads.file($0, wanted.sum) } ?? .null),
        ])
      case .refused(let reason):
        .object([("state", .string("error")), ("missingChunks", .array([])), ("detail", .string(reason))])
      }
    }
  }

  private func state(
    of wanted: Wanted, in chunks: ChunkFolder, _ owner: Int32, _ now: Timestamp, _ rest: inout Int
  ) throws -> State {
    let symbols = backend.symbols
    if let uuid = wanted.uuid, let stored = symbols.symbols(uuid: uuid),
      sums.sum(of: stored, in: symbols) == wanted.sum.lowercased()
    {
      return .stored(stored)
    }
    let missing = chunks.missing(wanted.chunks, of: owner, at: now)
    if wanted.chunks.isEmpty || !missing.isEmpty { return .missing(missing) }
    let most = min(backend.settings.uploadLimit, rest)
    var left = most
    let joined = try chunks.file(of: wanted.chunks, owner: owner, sum: wanted.sum, most: &left, in: symbols)
    rest -= most - left
    guard let joined else {
      return .refused("the joined pieces have another SHA-1 than the file, or more than \(most) bytes")
    }
    let file = try joined.reopened()
    let receipt = try symbols.add(file, named: wanted.name, at: now, room: &rest, written: joined)
    if let kept = (receipt.stored + receipt.replaced + receipt.known).first { return .stored(kept) }
    // An executable sent with its dSYM: clients send both, but only the dSYM is stored.
    if receipt.withoutSymbols > 0 { return .stored(nil) }
    return .refused(receipt.refused.first?.reason ?? "the file has no debug information of a Mach-O binary")
  }

  private static func file(_ symbols: StoredSymbols, _ sum: String) -> JSONOutput {
    let uuid = UUIDText.dashed(symbols.uuid).lowercased()
    return .object([
      ("uuid", .string(uuid)), ("debugId", .string(uuid)), ("objectName", .string(symbols.name)),
      ("cpuName", .string(symbols.architecture)), ("symbolType", .string("macho")), ("sha1", .string(sum)),
      ("size", .count(symbols.size)), ("headers", .object([])),
      ("data", .object([("type", .string("dbg")), ("features", .array([.string("debug")]))])),
    ])
  }

  private static func problem(_ status: Int, _ title: String, _ detail: String) -> Response {
    readable(.problem(status, title, detail: detail))
  }

  /// A problem as `application/json`, the only type for which sentry-cli shows the member `detail`.
  static func readable(_ problem: Response) -> Response {
    let others = problem.headers.filter { $0.0 != "Content-Type" }
    return .json(problem.body, status: problem.status, headers: others)
  }

  private static let full = problem(
    413, "Too many pieces",
    "The token has too many pieces of unfinished files. Pieces expire an hour after their last use.")
}

/// A cache of the SHA-1 of stored symbols, because clients request the same files repeatedly.
private final class StoredSums: Sendable {
  private struct Sum {
    let uploaded: Timestamp
    let text: String?
  }

  private static let most = 10_000
  private let sums = Mutex<[String: Sum]>([:])

  /// The SHA-1 of stored symbols. Nil for symbols that cannot be read or on which the symbolizer failed, because they
  /// may be uploaded again.
  func sum(of stored: StoredSymbols, in symbols: SymbolFolder) -> String? {
    guard stored.trouble == nil else { return nil }
    if let known = sums.withLock({ $0[stored.uuid] }), known.uploaded == stored.uploaded { return known.text }
    let sum = Sum(uploaded: stored.uploaded, text: symbols.sha1(ofSymbols: stored.uuid))
    sums.withLock { sums in
      if sums.count >= Self.most { sums.removeAll() }
      sums[stored.uuid] = sum
    }
    return sum.text
  }
}
