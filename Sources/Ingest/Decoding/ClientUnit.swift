internal import Core

/// A unit in the notation of OTLP (UCUM, case-sensitive) or of Sentry.
///
/// Source: ucum.org/ucum; opentelemetry.io/docs/specs/semconv/general/metrics/#instrument-units;
/// develop.sentry.dev/sdk/telemetry/attributes/#units
enum ClientUnit {
  /// A unit of time, data, frequency or share, with a factor for units that the native format lacks.
  case measured(InputUnit, times: Double)
  /// UCUM's `1`: a ratio or a plain number.
  case one
  /// No unit, or only an annotation in braces such as `{frame}`: a plain number.
  case plain
  /// An unknown unit.
  case unknown

  init(ucum text: String) {
    let bare = Self.withoutRemarks(text)
    if bare.isEmpty {
      self = .plain
    } else if bare == "1" {
      self = .one
    } else if let (unit, times) = Self.units[bare] {
      self = .measured(unit, times: times)
    } else {
      self = .unknown
    }
  }

  private static let units = symbols.compactMapValues { symbol, times in
    InputUnit(symbol: symbol).map { (unit: $0, times: times) }
  }

  /// UCUM's symbols and common other spellings, each with the native format's unit and a factor.
  private static let symbols: [String: (String, Double)] = [
    "ns": ("ns", 1), "us": ("us", 1), "µs": ("us", 1), "μs": ("us", 1), "ms": ("ms", 1), "s": ("s", 1),
    "min": ("min", 1), "h": ("h", 1), "d": ("h", 24), "By": ("B", 1), "KBy": ("KB", 1), "kBy": ("KB", 1),
    "MBy": ("MB", 1), "GBy": ("GB", 1), "KiBy": ("KiB", 1), "MiBy": ("MiB", 1), "GiBy": ("MiB", 1024),
    "B": ("B", 1), "bytes": ("B", 1), "KB": ("KB", 1), "kB": ("KB", 1), "MB": ("MB", 1), "GB": ("GB", 1),
    "KiB": ("KiB", 1), "MiB": ("MiB", 1), "GiB": ("MiB", 1024), "bit": ("B", 0.125), "%": ("%", 1),
    "ms/s": ("ms/s", 1), "fps": ("fps", 1), "Hz": ("fps", 1), "/s": ("fps", 1), "1/s": ("fps", 1),
  ]

  /// The unit with one of Sentry's names, such as `millisecond`. Any other name describes what is counted.
  init(sentry name: String) {
    guard let (symbol, times) = Self.sentryNames[name], let unit = InputUnit(symbol: symbol) else {
      self = .plain
      return
    }
    self = .measured(unit, times: times)
  }

  private static let sentryNames: [String: (String, Double)] = [
    "nanosecond": ("ns", 1), "microsecond": ("us", 1), "millisecond": ("ms", 1), "second": ("s", 1),
    "minute": ("min", 1), "hour": ("h", 1), "day": ("h", 24), "week": ("h", 168), "bit": ("B", 0.125),
    "byte": ("B", 1), "kilobyte": ("KB", 1), "kibibyte": ("KiB", 1), "megabyte": ("MB", 1), "mebibyte": ("MiB", 1),
    "gigabyte": ("GB", 1), "gibibyte": ("MiB", 1024), "terabyte": ("GB", 1000), "tebibyte": ("MiB", 1_048_576),
    "ratio": ("ratio", 1), "percent": ("%", 1),
  ]

  /// The unit without annotations: `{frame}/s` becomes `/s`. Annotations do not nest.
  private static func withoutRemarks(_ text: String) -> String {
    let isShort = text.utf8.count <= DecodingLimits.textBytes
    if isShort, !text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) { return text }
    var bytes: [UInt8] = []
    var isInside = false
    for byte in text.utf8.prefix(DecodingLimits.textBytes) {
      switch byte {
      case UInt8(ascii: "{"): isInside = true
      case UInt8(ascii: "}"): isInside = false
      default: if !isInside { bytes.append(byte) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ClientUnit {
  /// The factor from this unit to a catalogue metric's, and whether it was assumed because the unit was unclear.
  func factor(into metric: Metric) throws(MetricRefusal) -> (factor: Double, isGuess: Bool) {
    switch self {
    case .measured(let unit, let times):
      guard let factor = unit.factor(into: metric.unit) else {
        throw MetricRefusal("\(metric.name) is stored in \(metric.unit.symbol); its unit cannot be converted")
      }
      return (times == 1 ? factor : factor * times, false)
    case .one: return (metric.unit == .percent ? 100 : 1, ![.percent, .ratio, .count].contains(metric.unit))
    case .plain: return (1, false)
    case .unknown: return (1, true)
    }
  }

  /// The unit in which a custom metric is stored, the factor to it, and whether it was assumed. `isFraction` means that
  /// values may have fractions, so the unit must not round to whole numbers.
  func own(isFraction: Bool) -> (unit: MetricUnit, factor: Double, isGuess: Bool) {
    switch self {
    case .measured(let unit, let times): (unit.canonical, unit.factor * times, false)
    case .one: (isFraction ? .ratio : .count, 1, false)
    case .plain: (.count, 1, false)
    case .unknown: (.count, 1, true)
    }
  }
}
