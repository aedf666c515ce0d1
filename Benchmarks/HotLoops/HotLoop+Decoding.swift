import Core
import Ingest

extension HotLoop {
  /// Turns bytes into reports, for each format of a body.
  static let decoding = [
    decoding("decode-metrickit", "metrickit.json", .sniffed, turns: 200),
    decoding("decode-metrickit-crash", "metrickit-crash.json", .sniffed, turns: 40),
    decoding("decode-crash-report", "crash-report.crash", .sniffed, turns: 30),
    decoding("decode-sentry-crash", "sentry-crash.envelope", .sentryEnvelope, turns: 30),
    decoding("decode-sentry-session", "sentry-session.envelope", .sentryEnvelope, turns: 400),
    decoding("decode-native", "native.json", .sniffed, turns: 600),
    decoding("decode-otlp-json", "otlp.json", .otlpMetrics(.json), turns: 100),
    decoding("decode-otlp-protobuf", "otlp.pb", .otlpMetrics(.protobuf), turns: 200),
  ]

  private static func decoding(
    _ name: String, _ file: String, _ format: PayloadFormat, turns: Int
  ) -> HotLoop {
    HotLoop(name: name, turns: turns) {
      let body = try FixedBodies.padded(file)
      let decoder = PayloadDecoder()
      let context = DecodingContext(received: FixedBodies.now)
      return { _ in
        try body.bytes.withUnsafeBytes { buffer in
          let payload = UnsafeRawBufferPointer(rebasing: buffer[..<body.size])
          let decoded = try decoder.decode(payload, isPadded: true, as: format, context)
          precondition(!decoded.reports.isEmpty)
        }
      }
    }
  }
}
