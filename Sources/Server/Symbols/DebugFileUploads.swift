import Bytes
import Compression
import Glibc
import HTTP
import JSON
import Symbols
import Synchronization
import Telemetry

/// Debug files as Sentry's clients upload them (`sentry-cli debug-files upload`, fastlane's
/// `sentry_debug_files_upload`): pieces named by their SHA-1, then which file each is a part of. Organization and project
/// of the address mean nothing here: symbols belong to no app.
///
/// Source: develop.sentry.dev/backend/file-storage, and the requests of sentry-cli 3.8.2.
struct DebugFileUploads: Sendable {
  let context: ServerContext
  let symbols: SymbolFolder
  let chunks: ChunkFolder
  private let quota: UnpackingQuota
  private let sums = StoredSums()

  init(_ context: ServerContext, _ symbols: SymbolFolder, _ quota: UnpackingQuota) throws {
    (self.context, self.symbols, self.quota) = (context, symbols, quota)
    chunks = try ChunkFolder(of: symbols, limit: 4 * context.settings.uploadLimit)
  }

  enum Address: Equatable {
    /// `GET` says how to send pieces, `POST` takes them.
    case chunks(organization: String)
    /// `POST`: which files the pieces are parts of.
    case assembly

    init?(_ segments: [String]) {
      let parts = segments.last == "" ? Array(segments.dropLast()) : segments
      guard parts.prefix(2) == ["api", "0"] else { return nil }
      switch parts.count {
      case 5 where parts[2] == "organizations" && parts[4] == "chunk-upload": self = .chunks(organization: parts[3])
      case 8 where parts[2] == "projects" && parts[5...] == ["files", "difs", "assemble"]: self = .assembly
      default: return nil
      }
    }
  }

  /// The largest request with pieces: what `options` announces, and the headers of its parts.
  static let mostBytes = 34 << 20
  /// The largest list of files.
  static let mostListBytes = 1 << 20
  private static let mostParts = 64
  private static let mostFiles = 1_000

  /// How a client shall send pieces.
  func options(organization: String) -> Response {
    let members: [(String, JSONOutput)] = [
      // Relative to the client's own address of this server, which a proxy may have changed.
      ("url", .string("organizations/\(PercentEncoding.encode(organization))/chunk-upload/")),
      ("chunkSize", .count(ChunkFolder.mostBytes)), ("chunksPerRequest", .count(Self.mostParts)),
      ("maxFileSize", .count(context.settings.uploadLimit)), ("maxRequestSize", .count(32 << 20)),
      ("concurrency", .count(1)), ("hashAlgorithm", .string("sha1")), ("compression", .array([.string("gzip")])),
      ("accept", .array([.string("debug_files")])),
    ]
    return .json(JSONOutput.object(members).encoded())
  }

  /// Stores the pieces of a request.
  func take(_ body: SpooledBody?, _ multipart: MultipartBody, of owner: Int32, at now: Timestamp) -> Response {
    // `body` closes its descriptor, so the reader gets a duplicate.
    guard let body, let file = OpenFile(descriptor: dup(body.descriptor)), let mapped = MappedFile(file) else {
      return Self.problem(400, "Body not understood", "It is empty.")
    }
    let left = quota.left(owner, at: now)
    if left < ChunkFolder.mostBytes { return Self.readable(UnpackingQuota.exhausted) }
    let most = min(left, SymbolFolder.mostUnpacked(from: file.count))
    var room = most
    defer { quota.take(most - room, of: owner, at: now) }
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
        default: return Self.problem(400, "Piece not taken", "A part must be called file or file_gzip.")
        }
        switch outcome {
        case .stored: continue
        case .damaged:
          return Self.problem(400, "Piece not taken", "The bytes of a piece have another SHA-1 than its name says.")
        case .full: return Self.full
        }
      }
      return .json("{}")
    } catch let problem as MultipartBody.Problem {
      return Self.problem(400, "Body not understood", problem.description)
    } catch let error as CompressionError {
      return Self.problem(400, "Piece not taken", error.description)
    } catch {
      context.report(error)
      return Self.readable(SymbolUploads.full)
    }
  }

  private struct Wanted {
    var sum: String
    var name: String
    var uuid: String?
    var chunks: [String]
  }

  /// Says of each listed file what is missing of it, or stores it.
  func assemble(_ body: [UInt8], of owner: Int32, at now: Timestamp) -> Response {
    let list: [Wanted]
    do {
      list = try body.withUnsafeBytes { try Self.list($0) }
    } catch {
      return Self.problem(400, "List not understood", "\(error)")
    }
    do {
      // One piece may stand in many lists, and often in one. What is joined is bounded by what the token sent.
      let left = quota.left(owner, at: now)
      let most = Self.mostJoined(from: chunks.size(of: Set(list.flatMap(\.chunks)), owner: owner))
      if left < most { return Self.readable(UnpackingQuota.exhausted) }
      var rest = most
      defer { quota.take(most - rest, of: owner, at: now) }
      let states = try list.map { (wanted: $0, state: try state(of: $0, owner, now, &rest)) }
      // Only now: two files may share a piece.
      for (wanted, state) in states where state.isSettled { chunks.remove(wanted.chunks, of: owner) }
      return .json(JSONOutput.object(states.map { ($0.wanted.sum, $0.state.json(of: $0.wanted)) }).encoded())
    } catch {
      context.report(error)
      return Self.readable(SymbolUploads.full)
    }
  }

  /// The most bytes that pieces of `size` bytes together may be joined to. Few files share a piece or repeat one.
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

    /// Whether the pieces are needed no more.
    var isSettled: Bool { if case .missing = self { false } else { true } }

    func json(of wanted: Wanted) -> JSONOutput {
      switch self {
      case .missing(let names):
        .object([("state", .string("not_found")), ("missingChunks", .array(names.map { .string($0) }))])
      case .stored(let symbols):
        .object([
          ("state", .string("ok")), ("missingChunks", .array([])), ("detail", .null),
          ("dif", symbols.map { DebugFileUploads.file($0, wanted.sum) } ?? .null),
        ])
      case .refused(let reason):
        .object([("state", .string("error")), ("missingChunks", .array([])), ("detail", .string(reason))])
      }
    }
  }

  private func state(of wanted: Wanted, _ owner: Int32, _ now: Timestamp, _ rest: inout Int) throws -> State {
    if let uuid = wanted.uuid, let stored = symbols.symbols(uuid: uuid),
      sums.sum(of: stored, in: symbols) == wanted.sum.lowercased()
    {
      return .stored(stored)
    }
    let missing = chunks.missing(wanted.chunks, of: owner, at: now)
    if wanted.chunks.isEmpty || !missing.isEmpty { return .missing(missing) }
    let most = min(context.settings.uploadLimit, rest)
    var left = most
    let joined = try chunks.file(of: wanted.chunks, owner: owner, sum: wanted.sum, most: &left, in: symbols)
    rest -= most - left
    guard let joined else {
      return .refused("its pieces make another file than announced, or one of more than \(most) bytes")
    }
    let file = try joined.reopened()
    let receipt = try symbols.add(file, named: wanted.name, at: now, room: &rest, written: joined)
    if let kept = (receipt.stored + receipt.replaced + receipt.known).first { return .stored(kept) }
    // An executable beside its dSYM: clients send both, and there is nothing to keep of it.
    if receipt.withoutSymbols > 0 { return .stored(nil) }
    return .refused(receipt.refused.first?.reason ?? "it holds no debug information of a Mach-O binary")
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

  /// A problem as `application/json`, of which alone sentry-cli shows the member `detail`.
  static func readable(_ problem: Response) -> Response {
    let others = problem.headers.filter { $0.0 != "Content-Type" }
    return .json(problem.body, status: problem.status, headers: others)
  }

  private static let full = problem(
    413, "Too many pieces",
    "More pieces of unfinished files are here than one token may leave. They go an hour after their last use.")
}

/// The SHA-1 of stored symbols. A client asks for the same files again and again, so each is read once.
private final class StoredSums: Sendable {
  private struct Sum {
    let uploaded: Timestamp
    let text: String?
  }

  private static let most = 10_000
  private let sums = Mutex<[String: Sum]>([:])

  /// Nil for symbols that cannot be read, or that the symbolizer failed on: those may be uploaded again.
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
