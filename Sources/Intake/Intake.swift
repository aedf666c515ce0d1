public import Decoding
public import Record
public import Storage
public import Telemetry

/// Decodes bodies into reports, encodes these as records and queues them for the journal. Used by the server and `import`.
public final class Intake: Sendable {
  /// How bodies of an app are read.
  public struct DecodingOptions: Sendable {
    /// The clock of the app's zone.
    public var clock: LocalClock
    /// The app keeps the free text of exceptions.
    public var keepsExceptionText: Bool

    public init(clock: LocalClock = .utc, keepsExceptionText: Bool = false) {
      self.clock = clock
      self.keepsExceptionText = keepsExceptionText
    }
  }

  /// Called with whether the records of a request are on disk.
  public typealias Completion = @Sendable (Result<Acknowledgement, any Error>) -> Void

  private let seal: Pseudonymizer
  private let options: @Sendable (Submission) -> DecodingOptions?
  private let writer: JournalWriter
  private let tallies: OutcomeCounter
  private let recent = RecentBodies()

  /// `options` returns nil if the settings of an app cannot be read. Bodies are refused then: with the wrong time zone their
  /// days would be wrong for good. It is called on the thread that receives.
  public init(
    seal: Pseudonymizer, options: @escaping @Sendable (Submission) -> DecodingOptions?, writer: JournalWriter,
    tallies: OutcomeCounter
  ) {
    self.seal = seal
    self.options = options
    self.writer = writer
    self.tallies = tallies
  }

  /// Whether there is room for more records of an app before they are on disk. Asked before a body is decoded.
  public func room(for app: AppID) -> JournalRoom { writer.room(for: app) }

  /// Decodes a body and queues its records. `completion` is called once. A body that cannot be understood throws, is counted,
  /// and leaves nothing behind.
  ///
  /// `weighed` is called with the number of rows that the body counts as; see `RowWeight`.
  public func receive(
    _ body: UnsafeRawBufferPointer, _ submission: Submission, decoder: PayloadDecoder,
    weighed: (Int) -> Void = { _ in }, completion: @escaping Completion
  ) throws(DecodingFailure) {
    guard let options = options(submission) else { return completion(.failure(SettingsUnknown())) }
    let decoded: Decoded
    do {
      decoded = try decoder.decode(
        body, isPadded: submission.isPadded, as: submission.format,
        DecodingContext(
          received: submission.received, clock: options.clock, keepsExceptionText: options.keepsExceptionText))
    } catch {
      tallies.count(.rejected, submission, reason: error.reason.rawValue, detail: error.description)
      throw error
    }
    let contentHash = RecentBodies.hash(body, seed: 0)
    // Sessions and diagnostics are known by what they are: sent again they count once anyway.
    if submission.idempotencyKey == nil, decoded.reports.contains(where: { !$0.measurements.isEmpty }),
      recent.insert(contentHash, app: submission.app)
    {
      tallies.count(.suspectedDuplicate, submission, reason: "equal body")
    }
    weighed(decoded.reports.reduce(0) { $0 + RowWeight.of($1) })
    append(decoded, contentHash, submission, options, completion)
  }

  /// Counts a body that could not be understood before it came to a decoder.
  public func countRejection(app: AppID, client: String, reason: String, detail: String) {
    tallies.count(.rejected, app: app, client: client, reason: reason, detail: detail)
  }

  /// Counts a request that was refused before its body was decoded.
  public func countRefusal(app: AppID, client: String, reason: String) {
    tallies.count(.limited, app: app, client: client, reason: reason)
  }

  private func append(
    _ decoded: Decoded, _ contentHash: UInt64, _ submission: Submission, _ options: DecodingOptions,
    _ completion: @escaping Completion
  ) {
    let acknowledgement = { @Sendable (outcome: AppendOutcome?) in
      Acknowledgement(outcome: outcome, eventID: decoded.eventID, rejection: decoded.rejection)
    }
    if let rejection = decoded.rejection {
      tallies.count(
        .rejectedPart, submission, reason: submission.format.part, detail: rejection.message, by: rejection.count)
    }
    if decoded.reports.isEmpty {
      tallies.count(.empty, submission, reason: "nothing to keep")
      return completion(.success(acknowledgement(nil)))
    }
    writer.append(records(decoded.reports, contentHash, submission, options)) { [tallies] result in
      if case .success(.duplicate(let isReused)) = result {
        tallies.count(
          .duplicate, submission, reason: isReused ? "idempotency key, other content" : "idempotency key")
      }
      completion(result.map(acknowledgement))
    }
  }

  private func records(
    _ reports: [Report], _ contentHash: UInt64, _ submission: Submission, _ options: DecodingOptions
  ) -> PendingRecords {
    let app = submission.app
    let header = RecordHeader(
      app: app, received: submission.received, clock: options.clock, client: submission.client)
    let key = submission.idempotencyKey.map { seal.hash($0, "receipt \(app)") }
    var records = LengthDelimitedRecords(reservingRecords: reports.count)
    for report in reports { records.append(Self.keyed(report, by: key), header, seal: seal) }
    return PendingRecords(
      app: app, bytes: records.bytes(), count: reports.count,
      receipt: key.map { Receipt(key: $0, content: contentHash) },
      received: submission.received)
  }

  /// With idempotency keys two equal diagnostics are two: a retry would have the same key.
  private static func keyed(_ report: Report, by key: UInt64?) -> Report {
    guard let key, !report.diagnostics.isEmpty else { return report }
    var report = report
    for index in report.diagnostics.indices { report.diagnostics[index].identity ^= key }
    return report
  }
}

extension OutcomeCounter {
  fileprivate func count(
    _ kind: TallyKind, _ submission: Submission, reason: String, detail: String = "", by count: Int = 1
  ) {
    self.count(kind, app: submission.app, client: submission.client, reason: reason, detail: detail, by: count)
  }
}

extension PayloadFormat {
  /// What a request of this format is made of.
  fileprivate var part: String {
    switch self {
    case .sniffed: "document"
    case .sentryEnvelope, .sentryStore: "Sentry item"
    case .otlpMetrics: "OTLP point"
    case .otlpLogs: "OTLP log record"
    }
  }
}

/// How many rows a report counts as against an app's daily limit.
public enum RowWeight {
  /// A diagnostic brings its stack and perhaps a group.
  static let diagnostic = 20
  /// A session has a row of its own, and counts in several.
  static let session = 2

  /// Measurements are merged with those of other reports: so many count as one row.
  static let measurements = 10
  /// Samples and buckets, of which a row may gain as many.
  static let values = 50

  /// How many rows the report counts as. Every report costs at least one, for its place in the journal.
  static func of(_ report: Report) -> Int {
    let merged = (report.measurements.count + measurements - 1) / measurements
    let parts = report.measurements.reduce(0) { $0 + $1.value.partCount } / values
    return 1 + merged + parts + report.sessions.count * session + report.diagnostics.count * diagnostic
      + report.losses.count
  }
}

/// The settings of an app, among them its time zone, cannot be read now.
public struct SettingsUnknown: Error, Sendable, CustomStringConvertible {
  public var description: String { "the settings of the app cannot be read" }
}

/// A body's app, format, time and client: what is known of it besides its bytes.
public struct Submission: Sendable {
  public var app: AppID
  /// The app's settings, where the caller has them at hand.
  public var settings: AppSettings?
  public var format: PayloadFormat
  public var received: Timestamp
  /// The program that sent it, as it calls itself (User-Agent); empty when it does not.
  public var client: String
  /// The header by which a client marks repetitions of one request; nil without one.
  public var idempotencyKey: String?
  /// 64 bytes behind the body are readable, which saves a copy.
  public var isPadded: Bool

  public init(
    app: AppID, settings: AppSettings? = nil, format: PayloadFormat = .sniffed, received: Timestamp,
    client: String = "",
    idempotencyKey: String? = nil, isPadded: Bool = false
  ) {
    self.app = app
    self.settings = settings
    self.format = format
    self.received = received
    self.client = client
    self.idempotencyKey = idempotencyKey
    self.isPadded = isPadded
  }
}

/// What became of a body that was understood.
public struct Acknowledgement: Sendable, Equatable {
  /// Nil when it held nothing to keep.
  public var outcome: AppendOutcome?
  /// The id a Sentry client gave it.
  public var eventID: String?
  /// Parts that were left out.
  public var rejection: PartialRejection?

  public init(outcome: AppendOutcome?, eventID: String? = nil, rejection: PartialRejection? = nil) {
    self.outcome = outcome
    self.eventID = eventID
    self.rejection = rejection
  }
}
