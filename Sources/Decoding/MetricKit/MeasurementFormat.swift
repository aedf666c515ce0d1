internal import Telemetry

/// What the strings of a key measure, and the unit their numbers are wanted in.
struct MeasurementFormat {
  let dimension: UnitDimension
  /// The unit Apple writes for the key when it does not localise, in the dimension's base units. A unit word that nobody
  /// knows is taken for this one: values are never scaled to another unit.
  let assumed: Double
  /// The wanted unit, in the dimension's base units.
  let target: Double

  /// The word Apple writes for `assumed`.
  let plainUnit: StaticString

  static let milliseconds = Self(writtenFor: .milliseconds)
  static let bytes = Self(writtenFor: .bytes)
  static let hitchRatio = Self(writtenFor: .millisecondsPerSecond)
  /// Written in milliseconds, kept in seconds as every CPU time is.
  static let millisecondsAsSeconds = Self(dimension: .duration, assumed: 1e3, target: 1e6, "ms")
  static let instructions = Self(dimension: .instructions, assumed: 1e3, target: 1, "kiloinstructions")

  private init(dimension: UnitDimension, assumed: Double, target: Double, _ plainUnit: StaticString) {
    self.plainUnit = plainUnit
    self.dimension = dimension
    self.assumed = assumed
    self.target = target
  }

  /// The format of the keys that feed a metric kept in `unit`.
  init(writtenFor unit: MetricUnit) {
    switch unit {
    case .milliseconds: self.init(dimension: .duration, assumed: 1e3, target: 1e3, "ms")
    case .microseconds: self.init(dimension: .duration, assumed: 1, target: 1, "µs")
    case .seconds: self.init(dimension: .duration, assumed: 1e6, target: 1e6, "sec")
    case .bytes: self.init(dimension: .information, assumed: 1e3, target: 1, "kB")
    case .millisecondsPerSecond: self.init(dimension: .hitchRatio, assumed: 1, target: 1, "ms per s")
    case .bars: self.init(dimension: .bars, assumed: 1, target: 1, "bars")
    case .averagePixelLuminance: self.init(dimension: .luminance, assumed: 1, target: 1, "apl")
    default: self.init(dimension: .count, assumed: 1, target: 1, "files")
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
