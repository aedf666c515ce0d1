import Ingest

/// The responses of one ingest protocol, with the status, headers and body that it defines.
protocol IngestResponses: Sendable {
  /// The response after decoding a body. `result`: whether its records were written to disk.
  func stored(_ result: Result<Acknowledgement, any Error>) -> Response

  func refused(_ refusal: IngestRefusal) -> Response

  /// The responses that the HTTP server sends to requests of this protocol without calling the route.
  var defaultResponses: DefaultResponses { get }
}
