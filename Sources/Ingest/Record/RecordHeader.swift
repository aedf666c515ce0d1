public import Core

/// The fields that every record of a report begins with.
public struct RecordHeader: Sendable, Hashable {
  var app: Int32
  var received: Timestamp
  /// The UTC offsets of the app's time zone.
  var clock: LocalClock
  /// The client's name, such as its User-Agent; empty if not sent.
  var client: String

  public init(app: Int32, received: Timestamp, clock: LocalClock = .utc, client: String = "") {
    self.app = app
    self.received = received
    self.clock = clock
    self.client = client
  }
}

/// Constants of the record format, which `docs/record.md` specifies. Tests keep golden records of every version.
enum RecordFormat {
  static let firstVersion: UInt8 = 1
  /// The version of a record whose report has no attribute. Such records are unchanged since before attributes existed.
  static let version: UInt8 = 4
  /// The version of a record whose report has an attribute.
  static let attributeVersion: UInt8 = 5
  static let report: UInt8 = 1
  static let tally: UInt8 = 2

  /// The latest time that a reader accepts, in milliseconds since 1970. It is beyond the year 9999.
  static let latest: UInt64 = 300_000_000_000_000
  /// The largest offset from UTC that a reader accepts, in seconds: one day. Real time zones stay below it.
  static let mostOffset: UInt64 = 86_400
  /// The most changes of the UTC offset that a record may contain.
  static let mostChanges = 64
  /// The latest day that a reader accepts, in days since 1970. It is beyond the year 9999.
  static let latestDay: UInt64 = 4_000_000
  /// The largest count of losses, rejected samples or tallied events that a reader accepts.
  static let mostCounted = 1 << 48
  /// The largest magnitude of an exponential histogram's scale that a reader accepts.
  static let largestScale: UInt64 = 64
  /// The largest diagnostic body before compression, in bytes. It also limits decompression.
  static let largestBody = 256 << 20
  /// The largest number of samples of one frame. The sum over many frames then cannot overflow.
  static let mostSamples = 1_000_000_000
  /// The largest quantity of a diagnostic that a reader accepts. Decoders allow less.
  static let largestValue = 1e18

  /// The count, limited to what readers accept. A larger one would make the record damaged.
  static func counted(_ count: Int) -> Int { min(count, mostCounted) }

  /// Flag of an origin: the document spans several releases.
  static let mixedRelease: UInt8 = 1
  /// Flag of an origin: name and value of the app's attribute follow.
  static let attribute: UInt8 = 2

  /// Value of the low three bits of a measurement's tag, which give the form of its values.
  static let samples: UInt8 = 1
  static let spans: UInt8 = 2
  static let counter: UInt8 = 3
  static let exponential: UInt8 = 4
  /// Spans whose edges are whole numbers; see `WholeSpans`.
  static let wholeSpans: UInt8 = 5
  static let kindMask: UInt8 = 7
  /// Flag of a measurement's tag: the time is an instant, not a day.
  static let instant: UInt8 = 8
  /// Flag of a measurement's tag: the time equals the preceding measurement's and is omitted.
  static let sameTime: UInt8 = 16
  /// Flag of a measurement's tag: a label follows the metric.
  static let labelled: UInt8 = 32
  /// Flag of a measurement's tag: the exact sum, minimum and maximum follow the values.
  static let extent: UInt8 = 64
  /// Flag of a measurement's tag: the cumulative stream and its start follow the values and extent.
  static let accumulated: UInt8 = 128

  static let explicitSequence: UInt8 = 1
  static let user: UInt8 = 2
  static let duration: UInt8 = 4
  /// Flag of a session update: the app hung in the session.
  static let hang: UInt8 = 8

  /// Flags of a diagnostic: which optional fields are present.
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

/// The app, source, environment, release and device of a report.
public struct RecordOrigin: Sendable, Hashable {
  let app: Int32
  let source: Source
  let environment: String
  /// The report's release; `Release.mixed` if it spans several.
  public let release: Release
  let device: Device
  /// The value of the app's attribute; nil if not sent or if the app has no attribute.
  let attribute: AppAttribute?

  /// Decodes the bytes of `ReportReader.origin`.
  init(_ bytes: UnsafeRawBufferPointer) throws(DamagedBytes) {
    var reader = ByteReader(bytes)
    app = Int32(truncatingIfNeeded: try reader.count())
    guard let source = Source(rawValue: try reader.byte()) else { throw DamagedBytes(offset: 1) }
    self.source = source
    let flags = try reader.byte()
    environment = try reader.string()
    let version = try reader.string()
    let build = try reader.string()
    release = flags & RecordFormat.mixedRelease != 0 ? .mixed : Release(version: version, build: build)
    let model = try reader.string()
    let name = try reader.string()
    let number = try reader.string()
    device = Device(
      model: model, system: OperatingSystem(name: name, version: number, build: try reader.string()))
    guard flags & RecordFormat.attribute != 0 else {
      attribute = nil
      return
    }
    let key = try reader.string()
    guard let stated = AppAttribute(name: key, value: try reader.string()) else {
      throw DamagedBytes(offset: reader.remaining)
    }
    attribute = stated
  }
}

/// Counts of the problems found when a report was decoded.
public struct Remarks: Sendable, Equatable {
  let rejectedSamples: Int
  /// The number of values with an unknown unit. In records of version 1 it includes assumed times.
  let unknownUnits: Int
  let assumedTimes: Int
}

/// The transformations applied before a report is written. Raw ids are replaced by keyed hashes, because they are never
/// stored. Diagnostics are compressed, because they are large.
public struct Pseudonymizer: Sendable {
  /// The keyed hash of `text`. Equal texts have different hashes in different scopes.
  var hash: @Sendable (_ text: String, _ scope: String) -> UInt64
  /// The bytes as a zstd frame.
  var compress: @Sendable (UnsafeRawBufferPointer) -> [UInt8]

  public init(
    hash: @escaping @Sendable (String, String) -> UInt64,
    compress: @escaping @Sendable (UnsafeRawBufferPointer) -> [UInt8]
  ) {
    self.hash = hash
    self.compress = compress
  }

  func session(_ id: String, app: Int32) -> UInt64 { hash(id, "session \(app)") }

  func user(_ id: String, app: Int32) -> UInt64 { hash(id, "user \(app)") }
}
