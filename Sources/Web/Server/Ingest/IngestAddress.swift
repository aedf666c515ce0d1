import Core
import Ingest
import Storage

/// An address that receives payloads, with the format of its bodies and the responses of its protocol.
struct IngestAddress: Sendable {
  let format: PayloadFormat
  let answers: any IngestResponses
  /// Whether a body with an unknown Content-Encoding is read without decoding it, which Sentry's protocol requires.
  let unknownCodingIsIdentity: Bool
  /// The app in the path; nil if only the key identifies it.
  let app: AppID?
  /// Whether the body may contain the key. If so, a request without a key in its headers is read before it is refused.
  let mayHoldKey: Bool
  /// Why the body cannot be read, if the headers show it; otherwise nil.
  let unreadable: DecodingFailure?

  init(
    _ format: PayloadFormat, _ answers: any IngestResponses, unknownCodingIsIdentity: Bool = false, app: AppID? = nil,
    mayHoldKey: Bool = false, unreadable: DecodingFailure? = nil
  ) {
    self.format = format
    self.answers = answers
    self.unknownCodingIsIdentity = unknownCodingIsIdentity
    self.app = app
    self.mayHoldKey = mayHoldKey
    self.unreadable = unreadable
  }
}

extension IngestAddress {
  /// An address of OTLP/HTTP. The Content-Type determines the encoding of the body and of the response.
  ///
  /// Source: opentelemetry.io/docs/specs/otlp/#otlphttp-request
  init(otlp signal: OTLPSignal, _ head: borrowing RequestHead) {
    let type = head.header("Content-Type") ?? ""
    let encoding = Self.encoding(of: type)
    let written = encoding ?? .json
    let format: PayloadFormat =
      switch signal {
      case .metrics: .otlpMetrics(written)
      case .logs: .otlpLogs(written)
      case .traces: .otlpTraces(written)
      }
    self.init(
      format, OTLPResponses.of(signal, written),
      unreadable: encoding == nil ? Self.unreadable(type) : nil)
  }

  /// The encoding for a Content-Type: its media type without parameters, in any letter case.
  private static func encoding(of type: String) -> OTLPEncoding? {
    let bare = type.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
    switch String(decoding: bare, as: UTF8.self).lowercased() {
    case "application/x-protobuf", "application/protobuf": return .protobuf
    case "application/json": return .json
    default: return nil
    }
  }

  private static func unreadable(_ type: String) -> DecodingFailure {
    let shown = String(decoding: type.utf8.prefix(80), as: UTF8.self)
    return DecodingFailure(
      .unsupported,
      "expected Content-Type application/x-protobuf or application/json, found \(shown.isEmpty ? "nothing" : shown)")
  }
}

extension IngestAddress {
  /// An address of Sentry's protocol. `project`: the project in the path.
  init(sentry format: PayloadFormat, project: String) {
    // No app has the number 0, so a project that is not a number matches no app.
    self.init(
      format, SentryResponses.shared, unknownCodingIsIdentity: true, app: AppID(project) ?? 0,
      mayHoldKey: format == .sentryEnvelope)
  }

  /// Whether the address belongs to Sentry's protocol, whose clients send keys differently and have limits per kind of
  /// item.
  var isSentry: Bool { format == .sentryEnvelope || format == .sentryStore }
}

/// The content coding of a request's body.
enum BodyCoding: Equatable {
  case plain
  case packed(ContentEncodings)
  /// An unsupported coding: the value of Content-Encoding.
  case unknown(String)

  /// The codings to undo; nil for a body that is not compressed.
  var packing: ContentEncodings? { if case .packed(let packing) = self { packing } else { nil } }

  /// Reads all Content-Encoding fields as one list (RFC 9110 §8.4), whose last coding was applied last. `identity`
  /// means no coding. With `unknownIsIdentity`, which Sentry's protocol requires, an unsupported list also means no
  /// coding.
  init(_ head: borrowing RequestHead, unknownIsIdentity: Bool = false) {
    self = head.hasContentCoding ? Self(head.headers, unknownIsIdentity: unknownIsIdentity) : .plain
  }

  init(_ request: RequestSnapshot) { self.init(request.headers, unknownIsIdentity: false) }

  private init(_ headers: [(name: String, value: String)], unknownIsIdentity: Bool) {
    let fields = headers.filter { $0.name.lowercased() == "content-encoding" }.map(\.value)
    let list = fields.joined(separator: ",")
    let tokens = list.utf8.split(separator: UInt8(ascii: ",")).map { Substring($0) }
      .filter { !Self.isNothing($0) }
    let codings = tokens.compactMap { ContentCoding(name: $0) }
    if codings.count < tokens.count || codings.count > 2 {
      self = unknownIsIdentity ? .plain : .unknown(list)
    } else {
      self = codings.last.map { .packed(ContentEncodings(outer: $0, inner: codings.dropLast().last)) } ?? .plain
    }
  }

  private static func isNothing(_ token: Substring) -> Bool {
    let trimmed = token.utf8.filter { $0 != 0x20 && $0 != 0x09 }
    return trimmed.isEmpty || String(decoding: trimmed, as: UTF8.self).lowercased() == "identity"
  }
}

/// The one or two codings of a compressed body.
struct ContentEncodings: Equatable {
  /// The coding that was applied last and is undone first.
  let outer: ContentCoding
  let inner: ContentCoding?

  /// The number of zero bytes after a decompressed body, which simdjson may read.
  private static let padding = 64

  /// Undoes the codings. No step may produce more than `limit` bytes.
  func unpack(_ body: UnsafeRawBufferPointer, limit: Int) throws(CompressionError) -> Decompressed {
    let unpacked = try Compression.decompress(body, outer, limit: limit, padding: Self.padding)
    guard let inner else { return unpacked }
    return try unpacked.withOutput { bytes throws(CompressionError) in
      try Compression.decompress(bytes, inner, limit: limit, padding: Self.padding)
    }
  }
}

/// Reads an ingest request's headers and query: the app's key, the client program and the idempotency key.
enum IngestHeaders {
  /// The key in `Authorization: Bearer KEY`, `X-Plumb-Key: KEY` or `?key=KEY`; nil if there is none.
  static func key(_ head: borrowing RequestHead) -> String? {
    if let authorization = head.header("Authorization"), let token = bearer(authorization) { return token }
    return head.header("X-Plumb-Key") ?? head.query("key")
  }

  /// The token of `Bearer TOKEN`, with the scheme in any letter case.
  static func bearer(_ header: String) -> String? {
    let parts = header.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1].drop { $0 == " " })
  }

  /// The User-Agent, cut to 100 bytes and without control characters, because pages show it. Empty if it is missing.
  static func client(_ head: borrowing RequestHead) -> String {
    head.header("User-Agent").map { CleanText.name($0, atMost: 100) } ?? ""
  }

  /// The idempotency key, which is the same in all attempts of one request; nil if there is none.
  static func idempotency(_ head: borrowing RequestHead) -> String? {
    for name in ["Idempotency-Key", "MeterReporter-Report-Id", "msr-req-id"] {
      // Ignore empty keys; otherwise all requests with an empty key would count as one.
      if let key = head.header(name), key.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) { return key }
    }
    return nil
  }
}
