public import Core

/// Events of a day that may become known later.
///
/// Raw values are stored: never change one.
public enum DelayedEvent: UInt8, Sendable, Hashable, CaseIterable {
  case session = 0
  /// A session that became known as crashed, usually at the next launch.
  case crash = 1
  /// A session that became known to have a hang.
  case hang = 2
  case payload = 3
}

/// The age of a day when an event of the day became known, in steps of an hour at first and of days later.
///
/// It is counted from the beginning of the day in UTC, whatever the app's time zone: only differences matter.
public struct ReportingDelayStep: Sendable, Hashable {
  /// The number of the step, which is stored.
  public let number: Int

  /// The first hour of each step: hours until the third day ends, then quarters of days, then days.
  private static let starts: [Int] =
    Array(earliest..<72) + Array(stride(from: 72, to: 168, by: 6)) + Array(stride(from: 168, to: longest, by: 24))
  /// A day begins up to 14 hours earlier east of Greenwich.
  private static let earliest = -14
  /// Two weeks. What arrives later is not counted.
  private static let longest = 14 * 24

  public static let count = starts.count
  /// The hours at which steps begin, and the hour at which the last one ends.
  public static let bounds = (starts + [longest]).map(Double.init)
  /// The number of steps before the third day ends.
  public static let early = 72 - earliest

  /// The step of an event of `day` that was received at `time`; nil for one that is not counted.
  public init?(of day: CalendarDay, at time: Timestamp) {
    let hours = Self.hours(from: day, to: time)
    guard hours >= Double(Self.earliest), hours < Double(Self.longest) else { return nil }
    // The first step that starts later, by bisection.
    var range = 0..<Self.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = Double(Self.starts[middle]) <= hours ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    number = range.lowerBound - 1
  }

  /// A stored step; nil for an invalid number.
  public init?(number: Int) {
    guard (0..<Self.count).contains(number) else { return nil }
    self.number = number
  }

  /// The age of a day in hours.
  public static func hours(from day: CalendarDay, to time: Timestamp) -> Double {
    Double(time.milliseconds) / 3_600_000 - Double(day.number) * 24
  }
}

/// The number of events of a day that became known in one step of its age.
public struct DelayedCount: Sendable, Equatable {
  public var source: Source
  public var event: DelayedEvent
  public var day: CalendarDay
  public var step: ReportingDelayStep
  public var count: Int64

  public init(source: Source, event: DelayedEvent, day: CalendarDay, step: ReportingDelayStep, count: Int64) {
    self.source = source
    self.event = event
    self.day = day
    self.step = step
    self.count = count
  }
}
