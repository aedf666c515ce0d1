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
    // As all SDKs write them.
    if type == "application/x-protobuf" { return .protobuf }
    if type == "application/json" { return .json }
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
