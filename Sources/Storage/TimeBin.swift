public import Telemetry

/// The stretch of time a row covers. Recent rows are fine, older ones coarse; a window sums them all.
public struct TimeBin: Hashable, Sendable {
  /// How long a row's stretch is.
  ///
  /// Raw values are stored: never change one.
  public enum Resolution: UInt8, Sendable {
    case day = 0
    case hour = 1
    case fiveMinutes = 2

    /// The length in minutes.
    public var minutes: Int {
      switch self {
      case .day: 1440
      case .hour: 60
      case .fiveMinutes: 5
      }
    }
  }

  /// Minutes between 1970-01-01T00:00 and the start, both by the clocks of the app's zone (MetricKit: the device's).
  public var start: Int
  public var resolution: Resolution

  public init(start: Int, resolution: Resolution) {
    self.start = start
    self.resolution = resolution
  }

  /// A whole day.
  public init(_ day: CalendarDay) { self.init(start: day.number * 1440, resolution: .day) }

  /// The bin of `minute` for something `age` minutes old: five minutes for three days, an hour for 35, then a day.
  public init(containing minute: Int, age: Int) {
    let resolution: Resolution =
      age < 3 * 1440 ? .fiveMinutes : age < 35 * 1440 ? .hour : .day
    self.init(start: Self.floor(minute, to: resolution.minutes), resolution: resolution)
  }

  /// The day it lies in.
  public var day: CalendarDay { CalendarDay(number: Self.floor(start, to: 1440) / 1440) }

  /// The coarser bin it belongs to.
  public func coarsened(to resolution: Resolution) -> TimeBin {
    TimeBin(start: Self.floor(start, to: resolution.minutes), resolution: resolution)
  }

  private static func floor(_ value: Int, to step: Int) -> Int {
    let remainder = value % step
    return value - (remainder < 0 ? remainder + step : remainder)
  }
}
