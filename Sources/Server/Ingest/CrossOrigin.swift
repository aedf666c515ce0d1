import HTTP

/// Lets web views and pages of any origin send (fetch.spec.whatwg.org, "CORS protocol"). Keys are public by nature and
/// only write, so no origin is trusted less than another. Reading routes have none of this.
enum CrossOrigin {
  /// On every answer of an ingest route.
  static let headers = [
    ("Access-Control-Allow-Origin", "*"),
    ("Access-Control-Expose-Headers", "X-Sentry-Rate-Limits, Retry-After, X-Sentry-Error"),
  ]

  /// What the server answers by itself on an ingest route.
  static let serverAnswers = DefaultResponses(headers: headers)

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
