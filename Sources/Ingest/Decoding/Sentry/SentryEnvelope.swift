internal import Core

/// Splits a Sentry envelope into its header line and its items (develop.sentry.dev, "Envelopes").
///
/// Only `\
/// ` ends a line. An item with a `length` has exactly that many bytes; one without ends with its line.
struct EnvelopeCursor {
  private let body: UnsafeRawBufferPointer
  private let isPadded: Bool
  private var at: Int
  private var index = 0
  /// The byte range of the Sentry envelope's own header.
  let header: Range<Int>

  /// The most items in an envelope; one with more is refused.
  private static let mostItems = DecodingLimits.documents

  init(_ body: UnsafeRawBufferPointer, isPadded: Bool) {
    self.body = body
    self.isPadded = isPadded
    header = 0..<Self.endOfLine(in: body, from: 0)
    at = min(header.upperBound + 1, body.count)
  }

  /// Parses the envelope's header. It may be empty, `{}`, but must be present.
  func withHeader<Result>(_ parser: JSONParser, _ read: (JSONObject) throws -> Result) throws -> Result {
    if body.isEmpty { throw DecodingFailure(.empty, "the envelope is empty") }
    return try parse(header, "header", parser) { try read($0.object()) }
  }

  /// The next item; nil after the last. Throws if an item's header is damaged, because the following items cannot be
  /// found then.
  mutating func next(_ parser: JSONParser) throws -> EnvelopeItem? {
    guard body[at...].contains(where: { $0 != UInt8(ascii: "\n") }) else { return nil }
    guard index < Self.mostItems else {
      throw DecodingFailure(.value, "an envelope may hold \(Self.mostItems) items; send the rest in another")
    }
    let line = at..<Self.endOfLine(in: body, from: at)
    let start = min(line.upperBound + 1, body.count)
    let path = "items[\(index)]"
    let (kind, end) = try parse(line, path, parser) { value in
      let header = try value.object()
      return (try Self.kind(header), try payloadEnd(header, startingAt: start, path))
    }
    defer { index += 1 }
    at = min(end + 1, body.count)
    return EnvelopeItem(index: index, kind: kind, payload: start..<end)
  }

  /// Parses the JSON in `range` and prefixes the path of errors with `path`.
  func parse<Result>(
    _ range: Range<Int>, _ path: @autoclosure () -> String, _ parser: JSONParser, _ read: (JSONValue) throws -> Result
  ) throws -> Result {
    let isPadded = isPadded || range.upperBound + JSONParser.padding <= body.count
    var result: Result?
    try ReportDocumentReader.failures(inside: path()) {
      try parser.withDocument(
        UnsafeRawBufferPointer(rebasing: body[range]), isPadded: isPadded, offset: range.lowerBound
      ) { result = try read($0) }
    }
    guard let result else { throw DecodingFailure(.syntax, path: path(), "could not be read") }
    return result
  }

  private func payloadEnd(_ header: JSONObject, startingAt start: Int, _ path: String) throws -> Int {
    guard let length = header["length"] else { return Self.endOfLine(in: body, from: start) }
    let count = try length.unsignedInteger()
    let rest = body.count - start
    guard count <= UInt64(rest) else {
      throw length.failure("\(count) bytes are announced, and \(rest) are left")
    }
    let end = start + Int(count)
    guard end == body.count || body[end] == UInt8(ascii: "\n") else {
      throw length.failure("no line ends behind the announced \(count) bytes")
    }
    return end
  }

  private static func kind(_ header: JSONObject) throws -> EnvelopeItem.Kind {
    let type = try header.required("type").text()
    return switch type {
    case "session": .session
    case "sessions": .sessions
    case "event": .event
    case "transaction": .transaction
    case "trace_metric": .metrics
    case "client_report": .clientReport
    default: .skipped(type: type.kept)
    }
  }

  private static func endOfLine(in body: UnsafeRawBufferPointer, from start: Int) -> Int {
    body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
  }
}

/// The type and position of one item of an envelope.
struct EnvelopeItem {
  /// The index of the item, from 0.
  let index: Int
  let kind: Kind
  /// The byte range of the item's payload in the body.
  let payload: Range<Int>

  /// The item types that are read. Others are skipped, as the protocol requires, and counted.
  enum Kind {
    case session
    case sessions
    case event
    case transaction
    case metrics
    case clientReport
    case skipped(type: String)
  }

  /// The item's path in errors, such as `items[2]`.
  var path: String { "items[\(index)]" }
}

/// The categories of Sentry's rate limits that Plumb uses: a client may continue to send crashes while sessions are
/// limited, and sessions while transactions are.
public enum EnvelopeCategory: Sendable {
  case session
  case error
  /// Transactions and metrics.
  case measurement
}

extension PayloadDecoder {
  /// The DSN in an envelope's header, without parsing the items; nil when there is none.
  public func envelopeDSN(in body: UnsafeRawBufferPointer, isPadded: Bool = false) -> SentryDSN? {
    let cursor = EnvelopeCursor(body, isPadded: isPadded)
    guard cursor.header.count <= Self.longestHeader else { return nil }
    let text = try? cursor.withHeader(parser) { header in header.text("dsn")?.string }
    return text.flatMap { $0 }.flatMap { SentryDSN($0) }
  }

  /// The categories of the envelope's items, as far as it can be split; empty if it has nothing that is kept.
  public func envelopeCategories(in body: UnsafeRawBufferPointer, isPadded: Bool = false) -> Set<EnvelopeCategory> {
    var cursor = EnvelopeCursor(body, isPadded: isPadded)
    var found: Set<EnvelopeCategory> = []
    while !found.contains(.error), let item = try? cursor.next(parser) {
      switch item.kind {
      case .session, .sessions: found.insert(.session)
      case .event: found.insert(.error)
      case .transaction, .metrics: found.insert(.measurement)
      case .clientReport, .skipped: break
      }
    }
    return found
  }

  /// The longest header that is searched for a DSN, in bytes.
  private static let longestHeader = 16 << 10

  func sentryEnvelope(
    _ body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ quota: RequestQuota
  ) throws -> Decoded {
    var cursor = EnvelopeCursor(body, isPadded: isPadded)
    var reader = try cursor.withHeader(parser) { SentryReader(header: $0, body: body, context, quota) }
    while let item = try cursor.next(parser) {
      if case .skipped(let type) = item.kind {
        reader.skip(type)
        continue
      }
      do {
        try cursor.parse(item.payload, item.path, parser) { try reader.read($0.object(), of: item) }
      } catch let failure as DecodingFailure {
        reader.reject(failure.description)
      }
    }
    return reader.decoded
  }

  func sentryStore(
    _ body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ quota: RequestQuota
  ) throws -> Decoded {
    try parser.withDocument(body, isPadded: isPadded) { root in
      var reader = SentryReader(header: nil, body: body, context, quota)
      try reader.readEvent(root.object())
      return reader.decoded
    }
  }
}

/// The URL that configures a Sentry client: `https://KEY@plumb.example.com/42`.
public struct SentryDSN: Sendable, Equatable {
  /// The DSN's public key, which is Plumb's ingest key.
  public var key: String
  /// The DSN's project id, which is the last part of its path.
  public var project: String

  /// Parses `SCHEME://KEY[:SECRET]@HOST[/PATH]/PROJECT`; nil for anything else.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= 2000, let scheme = Self.firstIndex(of: Array("://".utf8), in: bytes),
      let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > scheme + 3,
      let slash = bytes.lastIndex(of: UInt8(ascii: "/")), slash > at + 1
    else { return nil }
    let key = bytes[(scheme + 3)..<at].prefix { $0 != UInt8(ascii: ":") }
    let project = bytes[(slash + 1)...]
    guard !key.isEmpty, !project.isEmpty else { return nil }
    self.key = String(decoding: key, as: UTF8.self)
    self.project = String(decoding: project, as: UTF8.self)
  }

  private static func firstIndex(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= part.count else { return nil }
    return (0...(bytes.count - part.count)).first { bytes[$0..<($0 + part.count)].elementsEqual(part) }
  }
}
