public import Telemetry

/// The fields that every record of a report begins with.
public struct RecordHeader: Sendable, Hashable {
  public var app: Int32
  public var received: Timestamp
  /// The clock of the app's zone.
  public var clock: LocalClock
  /// The program that sent it, as it calls itself; empty when it does not.
  public var client: String

  public init(app: Int32, received: Timestamp, clock: LocalClock = .utc, client: String = "") {
    self.app = app
    self.received = received
    self.clock = clock
    self.client = client
  }
}

/// Numbers of the format. Specified in `docs/record.md`; golden records of every version are kept in the tests.
enum RecordFormat {
  static let firstVersion: UInt8 = 1
  static let version: UInt8 = 3
  static let report: UInt8 = 1
  static let tally: UInt8 = 2

  /// The latest time in milliseconds that a reader accepts: beyond the year 9999.
  static let latest: UInt64 = 300_000_000_000_000
  /// The largest offset from UTC in seconds. No place was ever a day ahead or behind.
  static let mostOffset: UInt64 = 86_400
  /// The most changes of a clock in one record, more than its instants can need.
  static let mostChanges = 64
  /// The latest day that a reader accepts, in days from 1970.
  static let latestDay: UInt64 = 4_000_000
  /// The largest count beside the measurements that a reader accepts.
  static let mostCounted = 1 << 48
  /// No exponential histogram is finer or coarser.
  static let largestScale: UInt64 = 64
  /// The most bytes of a diagnostic's body before compression, and the limit when one is decompressed.
  static let largestBody = 256 << 20
  /// The most samples of one frame. Samples of many frames are added up.
  static let mostSamples = 1_000_000_000
  /// The largest value that a reader accepts: more than any value or sum that decoders accept.
  static let largestValue = 1e18

  /// The count, at most what readers accept: a record with a larger one would count as damaged.
  static func counted(_ count: Int) -> Int { min(count, mostCounted) }

  static let mixedRelease: UInt8 = 1

  /// The low three bits of a reading's tag.
  static let samples: UInt8 = 1
  static let spans: UInt8 = 2
  static let counter: UInt8 = 3
  static let exponential: UInt8 = 4
  static let kindMask: UInt8 = 7
  /// The time is an instant, not a day.
  static let instant: UInt8 = 8
  /// The time is that of the reading before; none is written.
  static let sameTime: UInt8 = 16
  /// A label follows.
  static let labelled: UInt8 = 32
  /// The exact sum and ends follow the values.
  static let extent: UInt8 = 64
  /// The stream and its start follow, behind the exact sum and ends.
  static let accumulated: UInt8 = 128

  static let explicitSequence: UInt8 = 1
  static let user: UInt8 = 2
  static let duration: UInt8 = 4

  /// Flags of a diagnostic.
  enum DiagnosticFlag {
    static let instant: UInt8 = 1
    static let quantity: UInt8 = 2
    static let session: UInt8 = 4
    static let user: UInt8 = 8
    static let type: UInt8 = 16
    static let code: UInt8 = 32
    static let signal: UInt8 = 64
  }

  static func tag(of value: Measurement.Value) -> UInt8 {
    switch value {
    case .samples: samples
    case .spans: spans
    case .counter: counter
    case .exponential: exponential
    }
  }
}
