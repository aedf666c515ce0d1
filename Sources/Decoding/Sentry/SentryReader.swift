internal import JSON
internal import Telemetry

/// Collects what the items of one envelope say, and sorts it into reports: one for each release, environment and device.
struct SentryReader {
  let context: DecodingContext
  let clock: SentryClock
  /// The whole envelope: what has no id of its own is known by it.
  let body: UnsafeRawBufferPointer
  let load: RequestLoad
  var eventID: SentryEventID?
  var sessions: [(origin: SentryOrigin, update: SessionUpdate)] = []
  var diagnostics: [(origin: SentryOrigin, diagnostic: Diagnostic)] = []
  var losses: [ClientLoss] = []
  var assumedTimes = 0
  /// Aggregates of all items, also of those that stand for no session.
  var aggregatesSeen = 0
  /// Sessions that have ids of their own.
  var sessionIDs: Set<String> = []
  lazy var contentName = Self.name(of: body)
  private var rejection: PartialRejection?

  init(header: JSONObject?, body: UnsafeRawBufferPointer, _ context: DecodingContext, _ load: RequestLoad) {
    self.context = context
    self.body = body
    self.load = load
    clock = SentryClock(context, sentAt: header?["sent_at"])
    eventID = header?.text("event_id").flatMap { SentryEventID($0) }
  }

  mutating func read(_ payload: JSONObject, of item: EnvelopeItem) throws {
    switch item.kind {
    case .session: try readSession(payload, of: item)
    case .sessions: try readAggregates(payload, of: item)
    case .event: try readEvent(payload)
    case .clientReport: readLosses(payload)
    case .other: break
    }
  }

  /// A name of 128 bits for bytes that nobody named.
  private static func name(of body: UnsafeRawBufferPointer) -> String {
    let words = [UInt64(1), 2].map { seed in
      var hash = ContentHash(seed: seed)
      body.withMemoryRebound(to: UInt8.self) { hash.combine($0) }
      return String(hash.value, radix: 16)
    }
    return words.joined(separator: ".")
  }

  /// Counts a part that is left out while the rest is kept.
  mutating func reject(_ message: String, count: Int = 1) {
    rejection = PartialRejection(count: (rejection?.count ?? 0) + count, message: rejection?.message ?? message)
  }

  /// Everything, sorted. Sessions say nothing of the device: an event of the same release beside them does.
  var decoded: Decoded {
    var sorter = ReportSorter()
    // A client sends the last update of a session with the crash that ended it.
    let session = sessionIDs.count == 1 ? sessionIDs.first : nil
    for (origin, var diagnostic) in diagnostics {
      diagnostic.session = session
      sorter.add(diagnostic, of: origin)
    }
    for (origin, update) in sessions { sorter.add(update, of: origin) }
    sorter.finish(losses, assumedTimes: assumedTimes)
    var rejection = rejection
    if sorter.refused > 0 {
      rejection = PartialRejection(
        count: (rejection?.count ?? 0) + sorter.refused,
        message: rejection?.message ?? "the envelope names more than \(Limits.documents) releases")
    }
    return Decoded(reports: sorter.reports, eventID: eventID?.text, rejection: rejection)
  }
}
