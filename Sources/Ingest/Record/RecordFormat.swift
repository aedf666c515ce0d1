import Core

/// Constants of the record format, which `docs/record.md` specifies. Tests keep golden records of every version.
enum RecordFormat {
  static let firstVersion: UInt8 = 1
  /// The version of a record whose report has no attribute. Such records are unchanged since before attributes existed.
  static let version: UInt8 = 4
  /// The version of a record whose report has one attribute.
  static let attributeVersion: UInt8 = 5
  /// The version of a record whose report has several attributes.
  static let attributesVersion: UInt8 = 6
  /// The version of a record whose report states the first run of its release, with any number of attributes.
  static let firstRunVersion: UInt8 = 7
  /// The version of a record with diagnostics, whose report may have any number of attributes and a first run.
  static let diagnosticVersion: UInt8 = 8
  static let newestVersion = diagnosticVersion
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
  /// Flag of an origin: name and value of the only attribute follow.
  static let attribute: UInt8 = 2
  /// Flag of an origin: a count and the names and values of as many attributes follow.
  static let attributes: UInt8 = 4

  /// The version of a record of a report with this many attributes.
  static func version(attributes count: Int, hasFirstRun: Bool, hasDiagnostics: Bool) -> UInt8 {
    if hasDiagnostics { return diagnosticVersion }
    if hasFirstRun { return firstRunVersion }
    return count == 0 ? version : count == 1 ? attributeVersion : attributesVersion
  }

  /// Value of the low three bits of a measurement's tag, which give the form of its values.
  static let samples: UInt8 = 1
  static let spans: UInt8 = 2
  static let counter: UInt8 = 3
  static let exponential: UInt8 = 4
  /// Spans whose edges are whole numbers; see `WholeNumberSpans`.
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
    /// The app was in the background. Nothing follows, so older readers ignore the flag.
    static let background: UInt8 = 128
  }

  /// Flags of a frame of a call tree: which parts follow.
  enum FrameFlag {
    static let offset: UInt8 = 1
    static let address: UInt8 = 2
    static let symbol: UInt8 = 4
    /// The address is the offset plus the start of the binary, which an earlier frame's address and offset give.
    static let known: UInt8 = 8
    /// The frame before calls this one, which has one sample.
    static let next: UInt8 = 16
  }

  /// The form of a diagnostic's call stacks and body: as they are, or each as a zstd frame, as always before version 8.
  static let content: UInt8 = 0
  static let frames: UInt8 = 1
  /// The largest call stacks and body of a diagnostic that are not written as frames, in bytes together, and the size
  /// of a request's records up to which none are. A usual crash has 6 KB. A hostile document may have megabytes, which
  /// must not wait for the digest uncompressed.
  static let (largestContent, largestContents) = (64 << 10, 1 << 20)

  static func tag(of value: Measurement.Value) -> UInt8 {
    switch value {
    case .samples: samples
    case .spans: spans
    case .counter: counter
    case .exponential: exponential
    }
  }
}
