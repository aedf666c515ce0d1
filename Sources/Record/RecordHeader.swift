public import Telemetry

/// What every record of a report says before its readings.
public struct RecordHeader: Sendable, Hashable {
  public var app: Int32
  public var received: Timestamp
  /// How far the clocks of the app's zone were ahead of UTC when it was received, in seconds.
  public var utcOffsetSeconds: Int

  public init(app: Int32, received: Timestamp, utcOffsetSeconds: Int = 0) {
    self.app = app
    self.received = received
    self.utcOffsetSeconds = utcOffsetSeconds
  }
}

/// Numbers of the format. Specified in `docs/record.md`; golden records of every version are kept in the tests.
enum RecordFormat {
  static let version: UInt8 = 1
  static let report: UInt8 = 1
  static let tally: UInt8 = 2

  /// The end of the year 9999 and beyond, in milliseconds: no clock that a writer read says more.
  static let latest: UInt64 = 300_000_000_000_000
  /// More than one record ever counts beside its numbers.
  static let mostCounted = 1 << 48

  static let mixedRelease: UInt8 = 1

  /// The low three bits of a reading's tag.
  static let samples: UInt8 = 1
  static let spans: UInt8 = 2
  static let counter: UInt8 = 3
  static let kindMask: UInt8 = 7
  /// The time is an instant, not a day.
  static let instant: UInt8 = 8
  /// The time is that of the reading before; none is written.
  static let sameTime: UInt8 = 16
  /// A label follows.
  static let labelled: UInt8 = 32

  static let explicitSequence: UInt8 = 1
  static let user: UInt8 = 2
  static let duration: UInt8 = 4
}
