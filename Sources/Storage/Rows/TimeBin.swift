public import Core

/// The time interval of a row. Recent rows have short intervals, older ones have long ones.
public struct TimeBin: Hashable, Sendable {
  /// The length of a bin.
  ///
  /// Raw values are stored: never change one.
  public enum Resolution: UInt8, Sendable {
    case day = 0
    case hour = 1
    case fiveMinutes = 2

    /// The length of a bin, in minutes.
    var minutes: Int {
      switch self {
      case .day: 1440
      case .hour: 60
      case .fiveMinutes: 5
      }
    }
  }

  /// The start in minutes since 1970-01-01T00:00, by the clocks of the app's time zone (for MetricKit: of the
  /// device's).
  public var start: Int
  public var resolution: Resolution

  public init(start: Int, resolution: Resolution) {
    self.start = start
    self.resolution = resolution
  }

  /// The bin of a whole day.
  public init(_ day: CalendarDay) { self.init(start: day.number * 1440, resolution: .day) }

  /// The bin that contains `minute`, for data that is `age` minutes old: five minutes up to an age of three days, an
  /// hour up to 35 days, then a day.
  public init(containing minute: Int, age: Int) {
    let resolution: Resolution =
      age < 3 * 1440 ? .fiveMinutes : age < 35 * 1440 ? .hour : .day
    self.init(start: Self.floor(minute, to: resolution.minutes), resolution: resolution)
  }

  /// The day that contains the bin.
  public var day: CalendarDay { CalendarDay(number: Self.floor(start, to: 1440) / 1440) }

  /// The bin of a coarser resolution that contains this bin.
  public func coarsened(to resolution: Resolution) -> TimeBin {
    TimeBin(start: Self.floor(start, to: resolution.minutes), resolution: resolution)
  }

  private static func floor(_ value: Int, to step: Int) -> Int {
    let remainder = value % step
    return value - (remainder < 0 ? remainder + step : remainder)
  }
}
