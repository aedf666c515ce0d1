import Core
import Ingest

/// The responses of one ingest protocol: status, headers and body as the protocol defines them.
protocol IngestResponses: Sendable {
  /// The response after a body was decoded. `result`: whether its records were written to disk.
  func stored(_ result: Result<Acknowledgement, any Error>) -> Response

  func refused(_ refusal: IngestRefusal) -> Response

  /// The responses that the HTTP server itself sends to requests of this protocol.
  var defaultResponses: DefaultResponses { get }
}

/// Why an ingest request was refused.
enum IngestRefusal {
  case wrongMethod
  case unauthorized
  /// An unsupported coding: the value of Content-Encoding.
  case unknownCoding(String)
  /// The body exceeds `limit`, in bytes.
  case tooLarge(limit: Int)
  /// The body could not be decompressed, or only to more than `limit` bytes.
  case notUnpacked(CompressionError, limit: Int)
  /// The app has exceeded a limit. It may try again after `seconds`.
  case limited(IngestLimit, seconds: Int)
  /// The server is overloaded, or cannot read its own data. The client may try again after `seconds`.
  case unavailable(seconds: Int)
  case rejected(DecodingFailure)

  /// The reason under which data quality counts requests refused because the server was overloaded.
  static let crowded = "the server had no room"

  /// The reason under which data quality counts bodies that could not be decompressed.
  static let encodingReason = "encoding"
}

/// The limits that an app can exceed. The raw value is the reason shown on the data quality page.
enum IngestLimit: String, Sendable {
  case requests = "too many requests"
  case share = "more than its share of the server"
  case rows = "too many rows in a day"
  case bytes = "too many bytes in a day"
  case unwritten = "too much waits for the disk"

  /// The sentence for the client.
  func detail(_ seconds: Int) -> String {
    "This app sends more than it may: \(rawValue). Try again in \(seconds) s."
  }
}

/// The CORS headers that let web views and pages of any origin send payloads (fetch.spec.whatwg.org, "CORS protocol").
/// Keys are public and allow only writing, so no origin is trusted less than another. Routes for reading have no such
/// headers.
enum CrossOrigin {
  /// The headers of every response of an ingest route.
  static let headers = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "X-Sentry-Rate-Limits, Retry-After, X-Sentry-Error"),
  ]

  /// The HTTP server's own responses on ingest routes, with the CORS headers.
  static let defaultResponses = DefaultResponses(headers: headers)

  /// The response to OPTIONS, a preflight request, which browsers send without a key.
  static let preflight = Response(
    status: 204,
    headers: headers + [
      ("Access-Control-Allow-Methods", "POST, PUT, OPTIONS"), ("Access-Control-Allow-Headers", requestHeaders),
      ("Access-Control-Max-Age", "3600"), ("Allow", "POST, PUT, OPTIONS"),
    ]
  ).prepared()

  /// The request headers that clients of any of the formats send.
  private static let requestHeaders = [
    "accept", "authentication", "authorization", "baggage", "content-encoding", "content-type", "idempotency-key",
    "meterreporter-report-id", "msr-req-id", "origin", "referer", "sentry-trace", "traceparent", "transfer-encoding",
    "x-forwarded-for", "x-plumb-key", "x-requested-with", "x-sentry-auth",
  ].joined(separator: ", ")
}
