internal import Core

/// The identity of a stream of cumulative points: a hash of everything that must be equal for one point to continue
/// another.
///
/// Source: opentelemetry.io/docs/specs/otel/metrics/data-model/#timeseries-model
struct OTLPStreamIdentity {
  private var hash = StableHash()

  init(resource: OTLPResource) { add(resource.attributes) }

  func of(_ scope: OTLPInstrumentationScope) -> OTLPStreamIdentity {
    var stream = self
    stream.hash.add(scope.name)
    stream.hash.add(scope.version)
    stream.add(scope.attributes)
    return stream
  }

  func of(_ metric: OTLPMetric) -> OTLPStreamIdentity {
    var stream = self
    stream.hash.add(metric.name)
    stream.hash.add(metric.unit)
    return stream
  }

  /// The stream of a point. Its start time is hashed in nanoseconds, so that two processes without identifying
  /// attributes hardly ever share a stream.
  func point(_ attributes: [OTLPKeyValue], start: UInt64) -> UInt64 {
    var stream = self
    stream.add(attributes)
    stream.hash.add(start)
    return stream.hash.value
  }

  private mutating func add(_ attributes: [OTLPKeyValue]) {
    for attribute in attributes.ordered {
      hash.add(attribute.key)
      hash.add(attribute.json)
    }
    hash.add(UInt64(attributes.count))
  }
}
