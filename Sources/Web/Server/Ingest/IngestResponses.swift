import Core
import Ingest

/// The responses of one ingest protocol, with the status, headers and body that it defines.
protocol IngestResponses: Sendable {
  /// The response after decoding a body. `result`: whether its records were written to disk.
  func stored(_ result: Result<Acknowledgement, any Error>) -> Response

  func refused(_ refusal: IngestRefusal) -> Response

  /// The responses that the HTTP server sends to requests of this protocol without calling the route.
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
  /// The body could not be decompressed, or has more than `limit` bytes after decompression.
  case notUnpacked(CompressionError, limit: Int)
  /// The app has exceeded a limit. It may try again after `seconds`.
  case limited(IngestLimit, seconds: Int)
  /// The server is overloaded or cannot read its data. The client may try again after `seconds`.
  case unavailable(seconds: Int)
  case rejected(DecodingFailure)

  /// The reason on the data-quality page for requests that were refused because the server was overloaded.
  static let crowded = "the server had no room"

  /// The reason on the data-quality page for bodies that could not be decompressed.
  static let encodingReason = "encoding"
}

/// The limits that an app can exceed. The raw value is the reason on the data-quality page.
enum IngestLimit: String, Sendable {
  case requests = "too many requests"
  case share = "more than its share of the server"
  case rows = "too many rows in a day"
  case bytes = "too many bytes in a day"
  case unwritten = "too much waits for the disk"

  /// The error detail for the client.
  func detail(_ seconds: Int) -> String {
    "This app has exceeded a limit: \(rawValue). Try again in \(seconds) s."
  }
}

/// The CORS headers that allow web views and pages of any origin to send payloads (fetch.spec.whatwg.org, "CORS
/// protocol"). Keys are public and allow only writing, so all origins are trusted equally. Routes for reading do not
/// have these headers.
enum CrossOrigin {
  /// The headers of every response of an ingest route.
  static let headers = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "X-Sentry-Rate-Limits, Retry-After, X-Sentry-Error"),
  ]

  /// The HTTP server's default responses on ingest routes, with CORS headers.
  static let defaultResponses = DefaultResponses(headers: headers)

  /// The response to OPTIONS, the preflight request that browsers send without a key.
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
