import Compression
import Decoding
import HTTP
import Intake

/// What the clients of one protocol are told, in its words.
protocol IngestAnswers: Sendable {
  /// The body was understood, and is on disk or not.
  func stored(_ result: Result<Acknowledgement, any Error>) -> Response

  func refused(_ refusal: IngestRefusal) -> Response

  /// What the server answers by itself at such an address.
  var serverAnswers: DefaultResponses { get }
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
