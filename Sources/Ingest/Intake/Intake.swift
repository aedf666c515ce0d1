import Core
public import Storage

/// Decodes request bodies into reports, encodes them as records and queues the records for the journal. The server and
/// `import` use it.
public final class Intake: Sendable {
  /// Receives the acknowledgement once the records of a request are on disk, or the error.
  public typealias Completion = @Sendable (Result<Acknowledgement, any Error>) -> Void

  private let seal: Pseudonymizer
  private let context: @Sendable (Submission) -> DecodingContext?
  private let writer: JournalWriter
  private let tallies: OutcomeCounter
  private let recent = RecentBodyHashes()

  /// Creates an intake. `context` is called on the receiving thread. It returns nil if an app's settings cannot be
  /// read; the app's bodies are then refused, because a wrong time zone would assign them to wrong days permanently.
  public init(
    seal: Pseudonymizer, context: @escaping @Sendable (Submission) -> DecodingContext?, writer: JournalWriter,
    tallies: OutcomeCounter
  ) {
    self.seal = seal
    self.context = context
    self.writer = writer
    self.tallies = tallies
  }

  /// The refused and repeated requests since the process started.
  public var outcomesSinceStart: [OutcomeCounter.Total: Int] { tallies.sinceStart }

  /// Whether more records of an app may be queued. Check this before a body is decoded.
  public func room(for app: AppID) -> JournalRoom { writer.room(for: app) }

  /// Decodes a body and queues its records. `completion` is called once. A body that cannot be decoded is counted as
  /// rejected, queues nothing, and throws.
  ///
  /// `weighed` receives the number of rows that the body counts as; see `RowWeight`.
  public func receive(
    _ body: UnsafeRawBufferPointer, _ submission: Submission, decoder: PayloadDecoder,
    weighed: (Int) -> Void = { _ in }, completion: @escaping Completion
  ) throws(DecodingFailure) {
    guard let context = context(submission) else { return completion(.failure(SettingsUnknown())) }
    let decoded: Decoded
    do {
      decoded = try decoder.decode(
        body, isPadded: submission.isPadded, as: submission.format, layout: submission.layout, context)
    } catch {
      tallies.count(.rejected, submission, reason: error.reason.rawValue, detail: error.description)
      throw error
    }
    var receipt: Receipt?
    if let key = submission.idempotencyKey ?? decoded.retryKey {
      // A retry may differ outside the content that its key stands for, for example in the time of sending.
      let content = submission.idempotencyKey == nil ? 0 : RecentBodyHashes.hash(body, seed: 0)
      receipt = Receipt(key: seal.hash(key, "receipt \(submission.app)"), content: content)
    } else if decoded.reports.contains(where: { !$0.measurements.isEmpty }),
      // Sessions and diagnostics have ids, so they count once even if they are sent again.
      recent.insert(RecentBodyHashes.hash(body, seed: 0), app: submission.app)
    {
      tallies.count(.suspectedDuplicate, submission, reason: "equal body")
    }
    weighed(decoded.reports.reduce(0) { $0 + RowWeight.of($1) })
    append(decoded, receipt, submission, context.clock, completion)
  }

  /// Counts a body that was rejected before it reached a decoder.
  public func countRejection(app: AppID, client: String, reason: String, detail: String) {
    tallies.count(.rejected, app: app, client: client, reason: reason, detail: detail)
  }

  /// Counts a request that was refused before its body was decoded, because a limit was reached.
  public func countRefusal(app: AppID, client: String, reason: String) {
    tallies.count(.limited, app: app, client: client, reason: reason)
  }

  /// Counts a request whose idempotency key was used before. `isReused`: with another body.
  public func countRepetition(app: AppID, client: String, isReused: Bool) {
    tallies.countRepetition(app: app, client: client, isReused: isReused)
  }

  private func append(
    _ decoded: Decoded, _ receipt: Receipt?, _ submission: Submission, _ clock: TimeZoneOffsets,
    _ completion: @escaping Completion
  ) {
    // The reports are not captured, because they must not stay in memory until the records are on disk.
    let acknowledgement = { @Sendable [eventID = decoded.eventID, rejection = decoded.rejection] outcome in
      Acknowledgement(outcome: outcome, eventID: eventID, rejection: rejection)
    }
    if let rejection = decoded.rejection {
      tallies.count(
        .rejectedPart, submission, reason: submission.format.part, detail: rejection.message, by: rejection.count)
    }
    for (kind, part) in decoded.skipped {
      tallies.count(.skipped, submission, reason: kind, detail: part.message, by: part.count)
    }
    if decoded.reports.isEmpty {
      tallies.count(.empty, submission, reason: "nothing to keep")
      return completion(.success(acknowledgement(nil)))
    }
    // Without the submission, whose layout of an envelope may have 10,000 items.
    writer.append(records(decoded.reports, receipt, submission, clock)) {
      [tallies, app = submission.app, client = submission.client] result in
      if case .success(.duplicate(let isReused)) = result {
        tallies.countRepetition(app: app, client: client, isReused: isReused)
      }
      completion(result.map(acknowledgement))
    }
  }

  private func records(
    _ reports: [Report], _ receipt: Receipt?, _ submission: Submission, _ clock: TimeZoneOffsets
  ) -> PendingRecords {
    let app = submission.app
    let header = RecordHeader(
      app: app, received: submission.received, clock: clock, client: submission.client)
    var records = LengthDelimitedRecords(reservingRecords: reports.count)
    for report in reports { records.append(Self.keyed(report, by: receipt?.key), header, seal: seal) }
    return PendingRecords(
      app: app, bytes: records.bytes(), count: reports.count, receipt: receipt, received: submission.received)
  }

  /// The report with the idempotency key mixed into the identities of its diagnostics. Equal diagnostics of two
  /// requests are then different, because a retry would have the same key.
  private static func keyed(_ report: Report, by key: UInt64?) -> Report {
    guard let key, !report.diagnostics.isEmpty else { return report }
    var report = report
    for index in report.diagnostics.indices { report.diagnostics[index].identity ^= key }
    return report
  }
}

/// The result of receiving a request body that could be decoded.
public struct Acknowledgement: Sendable, Equatable {
  /// The journal's outcome for the records; nil if the body contained nothing to store.
  public var outcome: AppendOutcome?
  /// The id of a Sentry event or envelope; nil if not sent.
  public var eventID: String?
  /// The parts of the request that were left out; nil if everything was stored.
  public var rejection: PartialRejection?
}

extension OutcomeCounter {
  fileprivate func countRepetition(app: AppID, client: String, isReused: Bool) {
    let reason = isReused ? "idempotency key, other content" : "idempotency key"
    count(.duplicate, app: app, client: client, reason: reason)
  }

  fileprivate func count(
    _ kind: TallyKind, _ submission: Submission, reason: String, detail: String = "", by count: Int = 1
  ) {
    self.count(kind, app: submission.app, client: submission.client, reason: reason, detail: detail, by: count)
  }
}

extension PayloadFormat {
  /// The parts that a request of this format consists of, for messages.
  fileprivate var part: String {
    switch self {
    case .sniffed: "document"
    case .sentryEnvelope, .sentryStore: "Sentry item"
    case .otlpMetrics: "OTLP point"
    case .otlpLogs: "OTLP log record"
    case .otlpTraces: "OTLP span"
    }
  }
}

/// The error when an app's settings, such as its time zone, cannot be read.
struct SettingsUnknown: Error, Sendable, CustomStringConvertible {
  var description: String { "cannot read the app's settings" }
}
