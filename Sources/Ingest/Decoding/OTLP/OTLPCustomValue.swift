internal import Core

/// A number of an event or a span. It is stored as a custom metric under the event's own name, because it means the same
/// as no metric of the catalogue.
struct OTLPCustomValue {
  let name: String
  /// The unit in UCUM's notation.
  let unit: String
  let shape: MetricMapping.Shape
  let value: Double

  /// The slow frames of an `app.jank` event and the time that it covers, and their label: the threshold in seconds from
  /// which a frame was slow. The convention states neither how long each frame took nor how many were drawn, so the event
  /// is neither a hang nor a hitch ratio.
  ///
  /// Source: opentelemetry.io/docs/specs/semconv/app/app-events (app.jank)
  static func jank(
    _ attributes: [OTLPKeyValue]
  ) throws(MetricRefusal) -> (values: [OTLPCustomValue], label: String) {
    guard let frames = attributes.number("app.jank.frame_count") else {
      throw MetricRefusal("the attribute app.jank.frame_count, a number of frames, is missing")
    }
    var values = [OTLPCustomValue(name: "app.jank.frame_count", unit: "{frame}", shape: .counter, value: frames)]
    if let period = attributes.number("app.jank.period") {
      values.append(OTLPCustomValue(name: "app.jank.period", unit: "s", shape: .counter, value: period))
    }
    let threshold = attributes.number("app.jank.threshold").flatMap { $0 >= 0 && $0 <= DecodingLimits.value ? $0 : nil }
    return (values, threshold.map { "app.jank.threshold=\($0)" } ?? "")
  }

  /// The value as a measurement. Throws if it is negative or beyond `DecodingLimits.value`, or if the request has too
  /// many.
  func measurement(
    label: String, at time: Timestamp, _ quota: DecodingQuota
  ) throws(MetricRefusal) -> Measurement {
    let mapping = try MetricMapping(name: name, unit: ClientUnit(ucum: unit), shape)
    let number = value * mapping.factor
    guard number >= 0, number <= DecodingLimits.value else {
      throw MetricRefusal("\(name) is \(value), expected a number from 0 to 10^15")
    }
    guard quota.take(.measurements), quota.take(.series) else {
      throw MetricRefusal(DecodingQuota.tooMany(.series))
    }
    let isSum = mapping.reference.kind == .counter
    return Measurement(
      mapping.reference, label: label, at: .instant(time), isSum ? .counter(number) : .samples([number]))
  }
}
