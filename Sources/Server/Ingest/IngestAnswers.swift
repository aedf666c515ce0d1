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
  var serverAnswers: ServerAnswers { get }
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
  case limited(seconds: Int)
  case rejected(DecodingFailure)

  /// The `reason` of a body that cannot be unpacked.
  static let encodingReason = "encoding"
}
