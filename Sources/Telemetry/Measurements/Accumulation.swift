/// The position of a reading in a stream that repeats all it counted since `start` (OpenTelemetry's cumulative temporality):
/// only what it says beyond the stream's reading before counts.
public struct Accumulation: Sendable, Hashable {
  /// A hash of everything that names the stream: resource, scope, metric, attributes.
  public var stream: UInt64
  /// When counting began; a process that starts anew starts a new count. 1970 when the client does not say.
  public var start: Timestamp

  public init(stream: UInt64, start: Timestamp) {
    self.stream = stream
    self.start = start
  }
}
