@testable import Core
@testable import Ingest

/// What an envelope holds.
func decode(
  envelope: String, received: Timestamp = receiptTime, keepsText: Bool = false,
  with decoder: PayloadDecoder = PayloadDecoder()
) throws(DecodingFailure) -> Decoded {
  try decode(Array(envelope.utf8), as: .sentryEnvelope, received: received, keepsText: keepsText, with: decoder)
}

func decode(
  _ bytes: [UInt8], as format: PayloadFormat, received: Timestamp = receiptTime, keepsText: Bool = false,
  with decoder: PayloadDecoder = PayloadDecoder()
) throws(DecodingFailure) -> Decoded {
  let result: Result<Decoded, DecodingFailure> = bytes.withUnsafeBytes { body in
    do throws(DecodingFailure) {
      let context = DecodingContext(received: received, keepsExceptionText: keepsText)
      return .success(try decoder.decode(body, as: format, context))
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}

/// What an envelope is refused with; nil when it is not.
func failure(envelope: String) -> DecodingFailure? {
  do {
    _ = try decode(envelope: envelope)
    return nil
  } catch {
    return error
  }
}

/// An envelope of items without a length.
func envelope(_ items: (type: String, payload: String)..., header: String = "{}") -> String {
  header + "\n" + items.map { "{\"type\":\"\($0.type)\"}\n\($0.payload)\n" }.joined()
}

/// A session's item. `members` come behind the required ones.
func sessionItem(
  _ members: String, started: String = "2026-11-21T09:00:00Z", release: String = "com.example.shop@4.2.0+1234"
) -> (type: String, payload: String) {
  ("session", "{\"started\":\"\(started)\",\"attrs\":{\"release\":\"\(release)\"},\(members)}")
}

let sentrySID = "7C7B6585-F901-4351-BF8D-02711B721929"
