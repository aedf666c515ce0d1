import Compression
import Decoding
import HTTP
import Intake

/// The responses of one protocol to its clients: status, headers and body as that protocol defines them.
protocol IngestResponses: Sendable {
  /// The response after a body was decoded. `result` states whether its records were written to disk.
  func stored(_ result: Result<Acknowledgement, any Error>) -> Response

  func refused(_ refusal: IngestRefusal) -> Response

  /// The HTTP server's own responses at an address of this protocol.
  var defaultResponses: DefaultResponses { get }
}

/// Why a request was not taken in.
enum IngestRefusal {
  case wrongMethod
  case unauthorized
  /// The Content-Encoding as it was sent.
  case unknownCoding(String)
  /// In bytes.
  case tooLarge(limit: Int)
  /// The body could not be unpacked, or only to more than the limit.
  case notUnpacked(CompressionError, limit: Int)
  /// The app has sent more than it may.
  case limited(IngestLimit, seconds: Int)
  /// The server cannot take it now: too much waits, or its own data cannot be read.
  case unavailable(seconds: Int)
  case rejected(DecodingFailure)

  /// What is counted among the requests that were refused.
  static let crowded = "the server had no room"

  /// The `reason` of a body that cannot be unpacked.
  static let encodingReason = "encoding"
}

/// What an app has sent too much of. The raw value is the reason that data quality shows.
enum IngestLimit: String, Sendable {
  case requests = "too many requests"
  case share = "more than its share of the server"
  case rows = "too many rows in a day"
  case unwritten = "too much waits for the disk"
}

/// Lets web views and pages of any origin send (fetch.spec.whatwg.org, "CORS protocol"). Keys are public by nature and
/// only write, so no origin is trusted less than another. Reading routes have none of this.
enum CrossOrigin {
  /// On every answer of an ingest route.
  static let headers = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "X-Sentry-Rate-Limits, Retry-After, X-Sentry-Error"),
  ]

  /// What the server answers by itself on an ingest route.
  static let defaultResponses = DefaultResponses(headers: headers)

  /// The answer to OPTIONS, which browsers ask without a key.
  static let preflight = Response(
    status: 204,
    headers: headers + [
      ("Access-Control-Allow-Methods", "POST, PUT, OPTIONS"), ("Access-Control-Allow-Headers", requestHeaders),
      ("Access-Control-Max-Age", "3600"), ("Allow", "POST, PUT, OPTIONS"),
    ]
  ).prepared()

  /// What clients of any of the formats send.
  private static let requestHeaders = [
    "accept", "authentication", "authorization", "baggage", "content-encoding", "content-type", "idempotency-key",
    "meterreporter-report-id", "msr-req-id", "origin", "referer", "sentry-trace", "traceparent", "transfer-encoding",
    "x-forwarded-for", "x-plumb-key", "x-requested-with", "x-sentry-auth",
  ].joined(separator: ", ")
}
