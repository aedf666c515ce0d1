internal import Core

/// The positions of the header and items in a Sentry envelope (develop.sentry.dev, "Envelopes").
///
/// Only `\n` ends a line. An item with a `length` has exactly that many bytes. An item without one ends with its line.
public struct EnvelopeLayout: Sendable {
  /// The byte range of the envelope's own header.
  let header: Range<Int>
  /// The items before the first one whose header is damaged.
  let items: [EnvelopeItem]
  /// Why the items after the last one cannot be found; nil if all were found.
  let failure: DecodingFailure?

  /// The categories of the items; empty if no item is stored.
  public var categories: EnvelopeCategories { items.reduce(into: []) { $0.formUnion($1.kind.categories) } }
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

    init(type: BorrowedJSONString) {
      self =
        switch type {
        case "session": .session
        case "sessions": .sessions
        case "event": .event
        case "transaction": .transaction
        case "trace_metric": .metrics
        case "client_report": .clientReport
        default: .skipped(type: type.kept)
        }
    }

    /// The category of rate limits that the item belongs to; empty if no limit applies.
    fileprivate var categories: EnvelopeCategories {
      switch self {
      case .session, .sessions: .session
      case .event: .error
      case .transaction, .metrics: .measurement
      case .clientReport, .skipped: []
      }
    }
  }

  /// The item's path in errors, such as `items[2]`.
  var path: String { "items[\(index)]" }
}

/// The categories of Sentry's rate limits that Plumb uses. A client may continue to send crashes while sessions are
/// limited, and sessions while transactions are limited.
public struct EnvelopeCategories: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let session = EnvelopeCategories(rawValue: 1)
  public static let error = EnvelopeCategories(rawValue: 2)
  /// Transactions and metrics.
  public static let measurement = EnvelopeCategories(rawValue: 4)
}

extension PayloadDecoder {
  /// The DSN in an envelope's header; nil if there is none. Items are not parsed.
  public func envelopeDSN(in body: UnsafeRawBufferPointer, isPadded: Bool = false) -> SentryDSN? {
    let header = 0..<Self.endOfLine(in: body, from: 0)
    guard !header.isEmpty, header.count <= Self.longestHeader else { return nil }
    let text = try? parse(header, of: body, isPadded, "header") { try $0.object().text("dsn")?.string }
    return text.flatMap { $0 }.flatMap { SentryDSN($0) }
  }

  /// The longest header that is searched for a DSN, in bytes.
  private static let longestHeader = 16 << 10

  /// Finds the items of an envelope. Parses their headers, but not their payloads.
  public func envelopeLayout(of body: UnsafeRawBufferPointer, isPadded: Bool = false) -> EnvelopeLayout {
    let header = 0..<Self.endOfLine(in: body, from: 0)
    var items: [EnvelopeItem] = []
    var at = min(header.upperBound + 1, body.count)
    do throws(DecodingFailure) {
      while body[at...].contains(where: { $0 != UInt8(ascii: "\n") }) {
        let item = try item(items.count, at: at, in: body, isPadded)
        items.append(item)
        at = min(item.payload.upperBound + 1, body.count)
      }
    } catch {
      return EnvelopeLayout(header: header, items: items, failure: error)
    }
    return EnvelopeLayout(header: header, items: items, failure: nil)
  }

  /// The most items in an envelope. An envelope with more is refused.
  private static let mostItems = DecodingLimits.documents

  private func item(
    _ index: Int, at: Int, in body: UnsafeRawBufferPointer, _ isPadded: Bool
  ) throws(DecodingFailure) -> EnvelopeItem {
    guard index < Self.mostItems else {
      throw DecodingFailure(.value, "an envelope may have at most \(Self.mostItems) items; split it")
    }
    let line = at..<Self.endOfLine(in: body, from: at)
    let start = min(line.upperBound + 1, body.count)
    return try parse(line, of: body, isPadded, "items[\(index)]") { value in
      let header = try value.object()
      let kind = EnvelopeItem.Kind(type: try header.required("type").text())
      return EnvelopeItem(index: index, kind: kind, payload: start..<(try payloadEnd(header, start, in: body)))
    }
  }

  private func payloadEnd(_ header: JSONObject, _ start: Int, in body: UnsafeRawBufferPointer) throws -> Int {
    guard let length = header["length"] else { return Self.endOfLine(in: body, from: start) }
    let count = try length.unsignedInteger()
    let rest = body.count - start
    guard count <= UInt64(rest) else {
      throw length.failure("length is \(count) bytes, but only \(rest) follow")
    }
    let end = start + Int(count)
    guard end == body.count || body[end] == UInt8(ascii: "\n") else {
      throw length.failure("expected a line end after \(count) bytes")
    }
    return end
  }

  private static func endOfLine(in body: UnsafeRawBufferPointer, from start: Int) -> Int {
    body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
  }

  /// Parses the JSON in `range` and prefixes the path of errors with `path`.
  private func parse<Result>(
    _ range: Range<Int>, of body: UnsafeRawBufferPointer, _ isPadded: Bool, _ path: @autoclosure () -> String,
    _ read: (JSONValue) throws -> Result
  ) throws(DecodingFailure) -> Result {
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

  /// Reads an envelope. Its header must be present but may be empty, `{}`. `layout`: nil if not yet known.
  func sentryEnvelope(
    _ body: UnsafeRawBufferPointer, _ isPadded: Bool, _ layout: EnvelopeLayout?, _ context: DecodingContext,
    _ quota: DecodingQuota
  ) throws -> Decoded {
    if body.isEmpty { throw DecodingFailure(.empty, "the envelope is empty") }
    let layout = layout ?? envelopeLayout(of: body, isPadded: isPadded)
    var reader = try parse(layout.header, of: body, isPadded, "header") {
      try SentryReader(header: $0.object(), body: body, context, quota, symbols)
    }
    if let failure = layout.failure { throw failure }
    for item in layout.items {
      if case .skipped(let type) = item.kind {
        reader.skip(type)
        continue
      }
      do throws(DecodingFailure) {
        try parse(item.payload, of: body, isPadded, item.path) { try reader.read($0.object(), of: item) }
      } catch {
        reader.reject(error.description)
      }
    }
    return reader.decoded
  }

  func sentryStore(
    _ body: UnsafeRawBufferPointer, _ isPadded: Bool, _ context: DecodingContext, _ quota: DecodingQuota
  ) throws -> Decoded {
    try parser.withDocument(body, isPadded: isPadded) { root in
      var reader = SentryReader(header: nil, body: body, context, quota, symbols)
      try reader.readEvent(root.object())
      return reader.decoded
    }
  }
}
