internal import Telemetry

/// What the strings of a key measure, and the unit their numbers are wanted in.
struct MeasurementFormat {
  let dimension: UnitDimension
  /// The unit Apple writes for the key when it does not localise, in the dimension's base units. A unit word that nobody
  /// knows is taken for this one: values are never scaled to another unit.
  let assumed: Double
  /// The wanted unit, in the dimension's base units.
  let target: Double

  static let milliseconds = Self(writtenFor: .milliseconds)
  static let bytes = Self(writtenFor: .bytes)
  static let hitchRatio = Self(writtenFor: .millisecondsPerSecond)
  /// Written in milliseconds, kept in seconds as every CPU time is.
  static let millisecondsAsSeconds = Self(dimension: .duration, assumed: 1e3, target: 1e6)
  static let instructions = Self(dimension: .instructions, assumed: 1e3, target: 1)

  private init(dimension: UnitDimension, assumed: Double, target: Double) {
    self.dimension = dimension
    self.assumed = assumed
    self.target = target
  }

  /// The format of the keys that feed a metric kept in `unit`.
  init(writtenFor unit: MetricUnit) {
    switch unit {
    case .milliseconds: self.init(dimension: .duration, assumed: 1e3, target: 1e3)
    case .microseconds: self.init(dimension: .duration, assumed: 1, target: 1)
    case .seconds: self.init(dimension: .duration, assumed: 1e6, target: 1e6)
    case .bytes: self.init(dimension: .information, assumed: 1e3, target: 1)
    case .millisecondsPerSecond: self.init(dimension: .hitchRatio, assumed: 1, target: 1)
    case .bars: self.init(dimension: .bars, assumed: 1, target: 1)
    case .averagePixelLuminance: self.init(dimension: .luminance, assumed: 1, target: 1)
    default: self.init(dimension: .count, assumed: 1, target: 1)
    }
  }
}

/// A family of units. Only words of a key's own family are looked for.
enum UnitDimension: Sendable {
  /// Base unit: microsecond.
  case duration
  /// Base unit: byte.
  case information
  /// Base unit: millisecond per second.
  case hitchRatio
  case bars
  case luminance
  /// Base unit: instruction.
  case instructions
  case count
}
