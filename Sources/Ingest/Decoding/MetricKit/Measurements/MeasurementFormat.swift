internal import Core

/// The dimension of a key's measurement strings, and the unit to which they are converted.
struct MeasurementFormat {
  let dimension: UnitDimension
  /// The size of the unit that Apple writes without localisation, in the dimension's base unit. It also applies to
  /// unknown units, so that their values are never scaled.
  let assumed: Double
  /// The size of the unit to convert to, in the dimension's base unit.
  let target: Double

  /// The text that Apple writes for `assumed`.
  private let plainUnit: StaticString
  /// A space and the first bytes of `plainUnit` in a word, the space in its lowest byte.
  private let plainUnitWord: UInt64
  /// The bits of `plainUnitWord` that are in use.
  private let plainUnitMask: UInt64

  static let milliseconds = Self(writtenFor: .milliseconds)
  static let bytes = Self(writtenFor: .bytes)
  static let hitchRatio = Self(writtenFor: .millisecondsPerSecond)
  /// CPU time, written in milliseconds and stored in seconds.
  static let millisecondsAsSeconds = Self(dimension: .duration, assumed: 1e3, target: 1e6, "ms")
  static let instructions = Self(dimension: .instructions, assumed: 1e3, target: 1, "kiloinstructions")

  private init(dimension: UnitDimension, assumed: Double, target: Double, _ plainUnit: StaticString) {
    self.plainUnit = plainUnit
    let size = plainUnit.utf8CodeUnitCount
    plainUnitWord = (0..<min(7, size)).reduce(0x20) { $0 | UInt64(plainUnit.utf8Start[$1]) << UInt64(8 * ($1 + 1)) }
    plainUnitMask = size < 7 ? 1 << UInt64(8 * (size + 1)) - 1 : .max
    self.dimension = dimension
    self.assumed = assumed
    self.target = target
  }

  /// A number of units of the size `scale`, in units of the size `target`.
  @inline(__always) func converted(_ number: Double, scale: Double) -> Double {
    // One scale is a multiple of the other, so only one operation rounds. 1530 ms become the double nearest to 1.53 s.
    scale >= target ? number * (scale / target) : number / (target / scale)
  }

  /// Whether the rest of a text is a space and the unit that Apple writes.
  @inline(__always) func isPlainUnit(_ text: BorrowedJSONString, from start: Int) -> Bool {
    let size = plainUnit.utf8CodeUnitCount
    guard text.count == start &+ 1 &+ size, text.word(at: start) & plainUnitMask == plainUnitWord else { return false }
    return size < 8 || (7..<size).allSatisfy { text.bytes[start &+ 1 &+ $0] == plainUnit.utf8Start[$0] }
  }

  /// The format in which MetricKit writes a metric that is stored in `unit`. Values are converted to that unit.
  /// Unlisted units are those of plain counts.
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

/// A family of units. A unit is looked up only in the family of its key.
enum UnitDimension: Sendable {
  /// Durations; the base unit is the microsecond.
  case duration
  /// Amounts of data; the base unit is the byte.
  case information
  /// Hitch time ratios; the base unit is milliseconds per second.
  case hitchRatio
  case bars
  case luminance
  /// CPU instructions; the base unit is one instruction.
  case instructions
  case count
}
