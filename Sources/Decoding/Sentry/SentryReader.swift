internal import JSON
internal import Telemetry

/// Collects what the items of one envelope say, and sorts it into reports: one for each release, environment and device.
struct SentryReader {
  let context: DecodingContext
  let clock: SentryClock
  /// The whole envelope: what has no id of its own is known by it.
  let body: UnsafeRawBufferPointer
  let load: RequestQuota
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

  init(header: JSONObject?, body: UnsafeRawBufferPointer, _ context: DecodingContext, _ load: RequestQuota) {
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

  /// An identity of 128 bits for bytes that carry no id.
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

extension SentryReader {
  /// A `session` item: the state of one session. `started` is required; without a `sid` it is known by the envelope.
  mutating func readSession(_ session: JSONObject, of item: EnvelopeItem) throws {
    try load.add(.sessions, at: session.value)
    let started = try clock.time(session.required("started"))
    let id = try session["sid"].flatMap { Self.id(try $0.text()) }
    if let id { sessionIDs.insert(id) }
    let update = SessionUpdate(
      id: id ?? "\(contentName)/\(item.index)", outcome: try Self.outcome(session), started: started,
      sequence: try session["seq"].map { Int64(try $0.integer()) },
      updated: session["timestamp"].flatMap { clock.instant($0) }, user: Self.user(session.text("did")),
      duration: session.number("duration"))
    sessions.append((origin(session.object("attrs")), update))
  }

  /// The release and environment that a session's attributes name.
  func origin(_ attributes: JSONObject?) -> SentryOrigin {
    let name = SentryRelease(attributes?.text("release")?.kept ?? "")
    return SentryOrigin(
      bundleID: name.package, release: name.release, environment: Self.environment(attributes?.text("environment")))
  }

  static func environment(_ text: JSONText?) -> String {
    guard let text, text.count > 0 else { return "production" }
    return text.kept
  }

  /// The user; nil for the UUID of zeros, which stands for no user.
  static func user(_ text: JSONText?) -> String? {
    guard let text, text.bytes.contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") }) else {
      return nil
    }
    return text.id
  }

  /// Clients spell UUIDs in both cases, with and without dashes: a session has one id all the same.
  private static func id(_ text: JSONText) -> String? {
    let bytes = text.bytes.filter { $0 != UInt8(ascii: "-") }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self).lowercased().id
  }

  /// An unknown status counts as healthy. A session that goes on or ended well, and saw errors, is errored.
  private static func outcome(_ session: JSONObject) throws -> SessionOutcome {
    switch try session["status"]?.text() {
    case .some("crashed"): return .crashed
    case .some("abnormal"): return .abnormal
    case .some("unhandled"): return .unhandled
    case .some("errored"): return .errored
    default: return try (session["errors"]?.number() ?? 0) > 0 ? .errored : .healthy
    }
  }
}

extension SentryReader {
  /// One item may stand for so many sessions.
  static var mostSessions: Int { 10_000 }

  /// A `sessions` item: how many sessions started in a minute ended in which way.
  ///
  /// They become sessions whose ids are made of the whole envelope's bytes, so that the same envelope sent again counts
  /// once. An item that stands for too many is left out as a whole: a part of it would have another share of crashes.
  mutating func readAggregates(_ item: JSONObject, of place: EnvelopeItem) throws {
    let aggregates = try item.required("aggregates")
    var updates: [SessionUpdate] = []
    let room = min(Self.mostSessions, load.free(.sessions))
    for (index, aggregate) in try aggregates.array().enumerated() {
      aggregatesSeen += 1
      guard aggregatesSeen <= Limits.sessions else {
        throw aggregates.failure("an envelope may list \(Limits.sessions) aggregates")
      }
      let bucket = try aggregate.object()
      let started = try clock.time(bucket.required("started"))
      let user = Self.user(bucket.text("did"))
      for (outcome, key) in Self.outcomes {
        let count = try Self.count(bucket[key])
        guard updates.count + count <= room else {
          throw aggregates.failure(
            "an item may stand for \(Self.mostSessions) sessions, an envelope for \(Limits.sessions)")
        }
        let name = "\(contentName)/\(place.index)/\(index)/\(outcome.rawValue)"
        for number in 0..<count {
          updates.append(SessionUpdate(id: "\(name)/\(number)", outcome: outcome, started: started, user: user))
        }
      }
    }
    try load.add(.sessions, updates.count, at: aggregates)
    let origin = origin(item.object("attrs"))
    for update in updates { sessions.append((origin, update)) }
  }

  private static var outcomes: [(SessionOutcome, StaticString)] {
    [
      (.healthy, "exited"), (.errored, "errored"), (.unhandled, "unhandled"), (.abnormal, "abnormal"),
      (.crashed, "crashed"),
    ]
  }

  /// A count; more than an item may stand for is as good as that and one.
  private static func count(_ value: JSONValue?) throws -> Int {
    guard let value else { return 0 }
    return Int(min(try value.unsignedInteger(), UInt64(mostSessions + 1)))
  }
}

extension SentryReader {
  /// Reasons and categories are few; an envelope that names more is not counting.
  private static var mostLosses: Int { 1000 }

  /// A `client_report` item: what the client threw away, by category and reason.
  mutating func readLosses(_ report: JSONObject) {
    let lists: [(StaticString, String)] = [
      ("discarded_events", ""), ("rate_limited_events", "rate_limited"), ("filtered_events", "filtered"),
    ]
    for (key, reason) in lists {
      guard let entries = report.array(key) else { continue }
      for entry in entries { readLoss(entry, defaultReason: reason) }
    }
  }

  private mutating func readLoss(_ entry: JSONValue, defaultReason: String) {
    guard losses.count < Self.mostLosses, let loss = entry.objectOrNil, let quantity = loss.number("quantity"),
      let count = Int(exactly: min(quantity, Limits.losses).rounded()), count > 0
    else { return }
    losses.append(
      ClientLoss(
        category: loss.text("category")?.kept ?? "default", reason: loss.text("reason")?.kept ?? defaultReason,
        quantity: count))
  }
}
