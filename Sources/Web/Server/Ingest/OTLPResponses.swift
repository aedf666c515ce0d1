import Core
import Ingest
import Storage

/// The responses to OTLP clients: export responses or google.rpc.Status, in the encoding of the request.
///
/// Source: opentelemetry.io/docs/specs/otlp/#otlphttp-request
struct OTLPResponses: IngestResponses {
  let signal: OTLPSignal
  let encoding: OTLPEncoding
  let defaultResponses: DefaultResponses
  private let success: Response

  private init(_ signal: OTLPSignal, _ encoding: OTLPEncoding) {
    self.signal = signal
    self.encoding = encoding
    defaultResponses = DefaultResponses { status, _, detail, _, headers in
      Self.failure(status, detail, headers, encoding)
    }
    success = Self.response(200, OTLPAnswer.success(encoding), [], encoding).prepared()
  }

  /// The responses for a kind of request, which are created once.
  static func of(_ signal: OTLPSignal, _ encoding: OTLPEncoding) -> OTLPResponses {
    switch (signal, encoding) {
    case (.metrics, .protobuf): metricsInProtobuf
    case (.metrics, .json): metricsInJSON
    case (.logs, .protobuf): logsInProtobuf
    case (.logs, .json): logsInJSON
    case (.traces, .protobuf): tracesInProtobuf
    case (.traces, .json): tracesInJSON
    }
  }

  private static let metricsInProtobuf = OTLPResponses(.metrics, .protobuf)
  private static let metricsInJSON = OTLPResponses(.metrics, .json)
  private static let logsInProtobuf = OTLPResponses(.logs, .protobuf)
  private static let logsInJSON = OTLPResponses(.logs, .json)
  private static let tracesInProtobuf = OTLPResponses(.traces, .protobuf)
  private static let tracesInJSON = OTLPResponses(.traces, .json)

  /// A repeated request is a success. Its response does not repeat which parts were rejected the first time.
  func stored(_ result: Result<Acknowledgement, any Error>) -> Response {
    guard case .success(let acknowledgement) = result else {
      return failure(
        503, "The journal could not be written; it is unknown whether the payload was stored. Send it again.",
        [("Retry-After", "30")])
    }
    if case .duplicate? = acknowledgement.outcome { return success }
    guard let rejection = acknowledgement.rejection else { return success }
    let body = OTLPAnswer.partialSuccess(signal, rejected: rejection.count, message: rejection.message, encoding)
    return Self.response(200, body, [], encoding)
  }

  func refused(_ refusal: IngestRefusal) -> Response {
    switch refusal {
    case .wrongMethod: failure(405, "Send OTLP with POST.", [("Allow", "POST, PUT, OPTIONS")])
    case .unauthorized:
      failure(
        401,
        "Unknown key. Send the app's ingest key as the header Authorization: Bearer KEY or X-Plumb-Key: KEY, "
          + "or as ?key=KEY. `plumb app list` prints it.", [("WWW-Authenticate", "Bearer")])
    case .unknownCoding(let coding):
      failure(
        415,
        "Content-Encoding not supported. Send the body uncompressed or with gzip, deflate, br or zstd; found: "
          + String(decoding: coding.utf8.prefix(80), as: UTF8.self), [("Accept-Encoding", "gzip, deflate, br, zstd")])
    case .tooLarge(let limit): defaultResponses.tooLarge(limit)
    case .notUnpacked(let error, _): failure(error.kind == .tooLarge ? 413 : 400, error.description)
    case .unavailable(let seconds):
      failure(
        503, "The server cannot accept payloads now. Nothing was stored; send it again later.",
        [("Retry-After", String(seconds))])
    case .limited(let limit, let seconds):
      failure(
        429, limit.detail(seconds), [("Retry-After", String(seconds))])
    case .rejected(let failure): self.failure(failure.reason == .unsupported ? 415 : 400, failure.description)
    }
  }

  private func failure(_ status: Int, _ message: String, _ headers: [(String, String)] = []) -> Response {
    Self.failure(status, message, headers, encoding)
  }

  private static func failure(
    _ status: Int, _ message: String, _ headers: [(String, String)], _ encoding: OTLPEncoding
  ) -> Response {
    let body = OTLPAnswer.status(code: code(of: status), message: message, encoding)
    return response(status, body, headers, encoding)
  }

  private static func response(
    _ status: Int, _ body: [UInt8], _ headers: [(String, String)], _ encoding: OTLPEncoding
  ) -> Response {
    let type = encoding == .json ? "application/json" : "application/x-protobuf"
    return Response(status: status, headers: [("Content-Type", type)] + headers + CrossOrigin.headers, body: body)
  }

  /// The gRPC status code for an HTTP status. OTLP clients expect it in a Status.
  private static func code(of status: Int) -> Int {
    switch status {
    case 401: 16
    case 405, 501: 12
    case 413, 429: 8
    case 503: 14
    case 500: 13
    default: 3
    }
  }
}

/// The kind of data in a request.
enum OTLPSignal {
  case metrics, logs, traces

  /// The name of the field that counts rejected items.
  fileprivate var rejectedName: String {
    switch self {
    case .metrics: "rejectedDataPoints"
    case .logs: "rejectedLogRecords"
    case .traces: "rejectedSpans"
    }
  }
}

/// The bodies of responses.
///
/// Source: opentelemetry.io/docs/specs/otlp/#otlphttp-response
enum OTLPAnswer {
  /// The response if everything was stored: an empty message.
  static func success(_ encoding: OTLPEncoding) -> [UInt8] { encoding == .json ? Array("{}".utf8) : [] }

  /// The response if `rejected` points, records or spans were rejected, for the reason in `message`.
  static func partialSuccess(
    _ signal: OTLPSignal, rejected: Int, message: String, _ encoding: OTLPEncoding
  ) -> [UInt8] {
    switch encoding {
    case .json:
      let part = JSONOutput.object([
        // 64-bit integers are strings in protobuf's JSON.
        (signal.rejectedName, .string(String(rejected))), ("errorMessage", .string(message)),
      ])
      return JSONOutput.object([("partialSuccess", part)]).encoded()
    case .protobuf:
      var writer = ByteWriter()
      writer.byte(1 << 3 | bytesType)
      writer.blob(Self.message(rejected, message))
      return writer.bytes
    }
  }

  /// An error as a google.rpc.Status. `code`: a gRPC status code, such as 3 for an invalid argument.
  static func status(code: Int, message: String, _ encoding: OTLPEncoding) -> [UInt8] {
    switch encoding {
    case .json: JSONOutput.object([("code", .count(code)), ("message", .string(message))]).encoded()
    case .protobuf: self.message(code, message)
    }
  }

  private static let bytesType: UInt8 = 2

  /// A protobuf message with a number in field 1 and a text in field 2, the form of all these messages.
  private static func message(_ number: Int, _ text: String) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(1 << 3)
    writer.count(number)
    writer.byte(2 << 3 | bytesType)
    writer.string(text)
    return writer.bytes
  }
}
