import Decoding
import HTTP
import OTLPMessages
import Storage

/// Where clients of one protocol send: how their bodies are read, and in which words they are answered.
struct IngestAddress: Sendable {
  let format: PayloadFormat
  let answers: any IngestAnswers
  /// A Content-Encoding that nobody knows counts as none, as Sentry's protocol wants it.
  let unknownCodingIsIdentity: Bool
  /// The app the address is of; nil where the key alone says it.
  let app: AppID?
  /// The key may stand in the body, so that a request without one is read before it is refused.
  let mayHoldKey: Bool
  /// Why no body can be read here, known from the headers; nil when one can.
  let unreadable: DecodingFailure?

  init(
    _ format: PayloadFormat, _ answers: any IngestAnswers, unknownCodingIsIdentity: Bool = false, app: AppID? = nil,
    mayHoldKey: Bool = false, unreadable: DecodingFailure? = nil
  ) {
    self.format = format
    self.answers = answers
    self.unknownCodingIsIdentity = unknownCodingIsIdentity
    self.app = app
    self.mayHoldKey = mayHoldKey
    self.unreadable = unreadable
  }

  /// The address a request was sent to; nil when nothing is taken in there.
  init?(_ head: borrowing RequestHead) {
    switch head.path {
    case "/v1/payloads", "/v1/payloads/": self.init(.sniffed, PayloadAnswers.shared)
    case "/v1/metrics", "/v1/metrics/": self.init(otlp: .metrics, head)
    case "/v1/logs", "/v1/logs/": self.init(otlp: .logs, head)
    default: self.init(sentryPath: head.path)
    }
  }
}
