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
