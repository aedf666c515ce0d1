internal import JSON
internal import Telemetry

/// The metric name of a signpost: `signpost.<category>.<name>`.
struct SignpostName {
  private let base: String

  /// The longest suffix is `.hitch_ratio`.
  private static let longestBase = Limits.metricNameBytes - 12

  init(_ signpost: JSONObject) throws {
    var bytes = Array("signpost".utf8)
    if let category = try signpost["signpostCategory"]?.text() { Self.append(category, to: &bytes) }
    try Self.append(signpost.required("signpostName").text(), to: &bytes)
    base = String(decoding: bytes, as: UTF8.self)
  }

  func metric(_ suffix: String, _ unit: MetricUnit, _ kind: Metric.Kind) -> MetricReference {
    .custom(name: suffix.isEmpty ? base : base + suffix, unit: unit, kind: kind)
  }

  /// What no metric name may hold becomes `_`, one for each scalar; an empty part is left out.
  private static func append(_ part: JSONText, to bytes: inout [UInt8]) {
    if part.count > 0 { bytes.append(UInt8(ascii: ".")) }
    for byte in part.bytes where byte & 0xC0 != 0x80 && bytes.count < longestBase {
      bytes.append(MetricName.allows(byte) ? byte : UInt8(ascii: "_"))
    }
  }
}
