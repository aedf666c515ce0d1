import Decoding
import HTTP
import OTLPMessages

extension IngestAddress {
  /// An OTLP/HTTP address: the Content-Type says how the body is written, and the answer is written alike.
  ///
  /// Source: opentelemetry.io/docs/specs/otlp/#otlphttp-request
  init(otlp signal: OTLPAnswer.Signal, _ head: borrowing RequestHead) {
    let type = head.header("Content-Type") ?? ""
    let encoding = Self.encoding(of: type)
    let written = encoding ?? .json
    self.init(
      signal == .metrics ? .otlpMetrics(written) : .otlpLogs(written), OTLPAnswers.of(signal, written),
      unreadable: encoding == nil ? Self.unreadable(type) : nil)
  }

  /// The media type without its parameters, in any letter case.
  private static func encoding(of type: String) -> OTLPEncoding? {
    let bare = type.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
    switch String(decoding: bare, as: UTF8.self).lowercased() {
    case "application/x-protobuf", "application/protobuf": return .protobuf
    case "application/json": return .json
    default: return nil
    }
  }

  private static func unreadable(_ type: String) -> DecodingFailure {
    let shown = String(decoding: type.utf8.prefix(80), as: UTF8.self)
    return DecodingFailure(
      .unsupported,
      "send application/x-protobuf or application/json; Content-Type was: \(shown.isEmpty ? "not there" : shown)")
  }
}
