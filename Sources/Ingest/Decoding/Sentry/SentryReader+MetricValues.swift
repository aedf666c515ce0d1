internal import Core

extension SentryReader {
  /// Adds one value of a metric. A metric that cannot be stored is counted as rejected.
  mutating func keep(
    _ name: String, _ number: Double, _ unit: String, _ place: SentryPlace,
    _ shape: MetricMapping.Shape = .level(isWhole: false)
  ) {
    do throws(MetricRefusal) {
      let mapping = try MetricMapping(name: name, unit: ClientUnit(sentry: unit), shape)
      let value = number * mapping.factor
      guard value.isFinite, value >= 0, value <= DecodingLimits.value else {
        rejectedSamples += 1
        return
      }
      let label = mapping.isOwn || mapping.labelledBy != nil ? place.label : ""
      guard quota.take(.measurements) else { throw MetricRefusal(DecodingQuota.tooMany(.measurements)) }
      if mapping.isOwn || !label.isEmpty {
        guard quota.take(.series) else { throw MetricRefusal(DecodingQuota.tooMany(.series)) }
      }
      let isSum = mapping.reference.kind == .counter
      measurements.append(
        (
          place.origin,
          Measurement(
            mapping.reference, label: label, at: .instant(place.time), isSum ? .counter(value) : .samples([value]))
        ))
    } catch {
      reject("\(name): \(error.message)")
    }
  }
}

/// The release and device, time and label of a measurement.
struct SentryPlace {
  let origin: SentryOrigin
  let time: Timestamp
  var label: String

  var unlabelled: SentryPlace { SentryPlace(origin: origin, time: time, label: "") }
}
