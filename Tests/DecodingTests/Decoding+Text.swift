@testable import Core
@testable import Ingest

/// 2026-11-21T10:00:00Z
let receiptTime = Timestamp(milliseconds: 1_795_255_200_000)

func decode(
  _ text: String, received: Timestamp = receiptTime, zone: Int = 0, with decoder: PayloadDecoder = PayloadDecoder()
) throws(DecodingFailure) -> [Report] {
  try decode(Array(text.utf8), received: received, zone: zone, with: decoder)
}

func decode(
  _ bytes: [UInt8], received: Timestamp = receiptTime, zone: Int = 0, with decoder: PayloadDecoder = PayloadDecoder()
) throws(DecodingFailure) -> [Report] {
  let result: Result<[Report], DecodingFailure> = bytes.withUnsafeBytes { body in
    do throws(DecodingFailure) {
      return .success(
        try decoder.decode(body, DecodingContext(received: received, clock: TimeZoneOffsets(utcOffsetSeconds: zone)))
          .reports
      )
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}

/// What a body is refused with; nil when it is not.
func failure(_ text: String) -> DecodingFailure? {
  do {
    _ = try decode(text)
    return nil
  } catch {
    return error
  }
}

extension Report {
  /// The values of the measurements called `name`.
  func values(_ name: String) -> [Measurement.Value] {
    measurements.filter { $0.metric.name == name }.map(\.value)
  }
}

extension PackedJSON {
  /// The JSON as text.
  var json: String { get throws { String(decoding: try text(limit: .max), as: UTF8.self) } }
}
