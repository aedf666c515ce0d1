import Core
import Ingest

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
