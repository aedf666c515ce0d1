import Core

/// Reads the items of one envelope and groups them into reports, one per release, environment and device.
struct SentryReader {
  let context: DecodingContext
  let clock: SentryClock
  /// The whole envelope. Its hash identifies items without an id.
  let body: UnsafeRawBufferPointer
  let quota: DecodingQuota
  let symbols: RecentSymbols
  var eventID: SentryEventID?
  var sessions: [(origin: SentryOrigin, update: SessionUpdate)] = []
  var diagnostics: [(origin: SentryOrigin, diagnostic: Diagnostic)] = []
  var measurements: [(origin: SentryOrigin, measurement: Measurement)] = []
  var losses: [ClientLoss] = []
  var assumedTimes = 0
  var rejectedSamples = 0
  /// The number of aggregates in all items, including those without sessions.
  var aggregatesSeen = 0
  /// The id of the first session that has one.
  private var sessionID: String?
  private var hasSeveralSessionIDs = false
  lazy var contentName = Self.name(of: body)
  private var rejection: PartialRejection?
  private var skipped: [String: PartialRejection] = [:]
  /// A hash of the items with measurements, which have no ids.
  private var measured: SeededHash?

  init(
    header: JSONObject?, body: UnsafeRawBufferPointer, _ context: DecodingContext, _ quota: DecodingQuota,
    _ symbols: RecentSymbols
  ) {
    self.context = context
    self.body = body
    self.quota = quota
    self.symbols = symbols
    clock = SentryClock(context, sentAt: header?["sent_at"])
    eventID = header?.text("event_id").flatMap { SentryEventID($0) }
  }

  mutating func read(_ payload: JSONObject, of item: EnvelopeItem) throws {
    switch item.kind {
    case .session: try readSession(payload, of: item)
    case .sessions: try readAggregates(payload, of: item)
    case .event: try readEvent(payload)
    case .transaction, .metrics: try readMeasurements(payload, of: item)
    case .clientReport: readLosses(payload)
    case .skipped: break
    }
  }

  /// Reads an item with measurements. It identifies the envelope by the item's bytes, because the header's `sent_at`
  /// differs when a client sends the item again.
  private mutating func readMeasurements(_ payload: JSONObject, of item: EnvelopeItem) throws {
    var hash = measured ?? SeededHash(seed: 5)
    UnsafeRawBufferPointer(rebasing: body[item.payload]).withMemoryRebound(to: UInt8.self) { hash.combine($0) }
    measured = hash
    if case .transaction = item.kind { readTransaction(payload) } else { try readMetrics(payload) }
  }

  /// Counts an item of a type that is not stored.
  mutating func skip(_ type: String) {
    let name = Self.skippedTypes.contains(type) ? type : "unknown type"
    skipped[name] = PartialRejection(count: (skipped[name]?.count ?? 0) + 1, message: name == type ? "" : type)
  }

  /// The types of Sentry's protocol that are not stored. Other types are counted together, because a client may invent
  /// any number of them.
  ///
  /// Source: develop.sentry.dev/sdk/foundations/transport/envelope-items
  private static let skippedTypes: Set<String> = [
    "attachment", "check_in", "feedback", "form_data", "log", "metric_buckets", "metric_meta", "nel", "otel_log",
    "profile", "profile_chunk", "raw_security", "replay_event", "replay_recording", "replay_video", "security", "span",
    "statsd", "unreal_report", "user_report",
  ]

  /// A 128-bit hash that identifies bytes without an id.
  private static func name(of body: UnsafeRawBufferPointer) -> String {
    let words = [UInt64(1), 2].map { seed in
      var hash = SeededHash(seed: seed)
      body.withMemoryRebound(to: UInt8.self) { hash.combine($0) }
      return String(hash.value, radix: 16)
    }
    return words.joined(separator: ".")
  }

  /// Counts a part of the envelope that is left out, while the rest is stored.
  mutating func reject(_ message: @autoclosure () -> String) {
    if rejection == nil { rejection = PartialRejection(count: 0, message: message()) }
    rejection?.count += 1
  }

  /// The finished reports. Sentry sessions have no device, so the device is copied from a transaction or metric of the
  /// same release in the envelope.
  var decoded: Decoded {
    var sorter = SentryReports()
    // A client sends a session's last update together with the crash that ended it.
    let session = hasSeveralSessionIDs ? nil : sessionID
    for (origin, var diagnostic) in diagnostics {
      diagnostic.session = session
      sorter.add(diagnostic, of: origin)
    }
    for (origin, measurement) in measurements { sorter.add(measurement, of: origin) }
    for (origin, update) in sessions { sorter.add(update, of: origin) }
    sorter.finish(losses, assumedTimes: assumedTimes, rejectedSamples: rejectedSamples)
    var rejection = rejection
    if sorter.refused > 0 {
      rejection = PartialRejection(
        count: (rejection?.count ?? 0) + sorter.refused,
        message: rejection?.message ?? "the envelope has more than \(DecodingLimits.documents) releases")
    }
    return Decoded(
      reports: sorter.reports, eventID: eventID?.text, rejection: rejection, skipped: skipped,
      // A diagnostic has an id that does not depend on the rest of the envelope.
      retryKey: diagnostics.isEmpty ? measured.map { "sentry items \(String($0.value, radix: 16))" } : nil)
  }
}

extension SentryReader {
  /// Reads a `session` item, the state of one session. `started` is required. Without a `sid`, the envelope identifies
  /// the session.
  mutating func readSession(_ session: JSONObject, of item: EnvelopeItem) throws {
    try quota.add(.sessions, at: session.value)
    let started = try clock.time(session.required("started"))
    let id = try session["sid"].flatMap { Self.id(try $0.text()) }
    if let id {
      sessionID = sessionID ?? id
      if sessionID != id { hasSeveralSessionIDs = true }
    }
    let update = SessionUpdate(
      id: id ?? "\(contentName)/\(item.index)", outcome: try Self.outcome(session), started: started,
      sequence: try session["seq"].map { Int64(try $0.integer()) },
      updated: session["timestamp"].flatMap { clock.instant($0) }, user: Self.user(session.text("did")),
      duration: session.number("duration"), hasHang: Self.endedByHang(session))
    sessions.append((origin(session.object("attrs")), update))
  }

  /// The origin in a session's attributes: release and environment.
  func origin(_ attributes: JSONObject?) -> SentryOrigin {
    let name = SentryRelease(attributes?.text("release")?.kept ?? "")
    return SentryOrigin(
      bundleID: name.package, release: name.release, environment: Self.environment(attributes?.text("environment")),
      attributes: context.attributes(in: attributes))
  }

  static func environment(_ text: BorrowedJSONString?) -> String {
    guard let text, text.count > 0 else { return "production" }
    return text.kept
  }

  /// The user's id; nil if not sent, and for the UUID of zeros, which means no user.
  static func user(_ text: BorrowedJSONString?) -> String? {
    guard let text, text.bytes.contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "-") }) else {
      return nil
    }
    return text.id
  }

  /// The session's id in lower case without hyphens, because clients write UUIDs differently.
  private static func id(_ text: BorrowedJSONString) -> String? {
    let id = String(unsafeUninitializedCapacity: text.count) { id in
      var end = 0
      for byte in text.bytes where byte != UInt8(ascii: "-") {
        id[end] = (65...90).contains(byte) ? byte | 0x20 : byte
        end += 1
      }
      return end
    }
    if id.isEmpty { return nil }
    return (text.bytes.allSatisfy { $0 < 0x80 } ? id : id.lowercased()).id
  }

  /// Whether the OS or the user ended the app while it hung.
  private static func endedByHang(_ session: JSONObject) -> Bool {
    guard session.text("status").map({ $0 == "abnormal" }) == true else { return false }
    return session.text("abnormal_mechanism")?.bytes.starts(with: "anr".utf8) ?? false
  }

  /// The outcome. An unknown status counts as healthy. A healthy session with errors is errored.
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
  /// The most sessions that one item may count.
  static var mostSessions: Int { 10_000 }

  /// Reads a `sessions` item: the number of sessions per outcome that started in one minute.
  ///
  /// They become sessions whose ids contain a hash of the whole envelope, so that an envelope that is sent again counts
  /// once. An item with too many sessions is left out completely, because a part of it would have another crash rate.
  mutating func readAggregates(_ item: JSONObject, of position: EnvelopeItem) throws {
    let aggregates = try item.required("aggregates")
    var updates: [SessionUpdate] = []
    let room = min(Self.mostSessions, quota.free(.sessions))
    for (index, aggregate) in try aggregates.array().enumerated() {
      aggregatesSeen += 1
      guard aggregatesSeen <= DecodingLimits.sessions else {
        throw aggregates.failure("an envelope may have at most \(DecodingLimits.sessions) aggregates")
      }
      let bucket = try aggregate.object()
      let started = try clock.time(bucket.required("started"))
      let user = Self.user(bucket.text("did"))
      for (outcome, key) in Self.outcomes {
        let count = try Self.count(bucket[key])
        guard updates.count + count <= room else {
          throw aggregates.failure(
            "an item may count \(Self.mostSessions) sessions, an envelope \(DecodingLimits.sessions)")
        }
        let name = "\(contentName)/\(position.index)/\(index)/\(outcome.rawValue)"
        for number in 0..<count {
          updates.append(SessionUpdate(id: "\(name)/\(number)", outcome: outcome, started: started, user: user))
        }
      }
    }
    try quota.add(.sessions, updates.count, at: aggregates)
    let origin = origin(item.object("attrs"))
    for update in updates { sessions.append((origin, update)) }
  }

  private static var outcomes: [(SessionOutcome, StaticString)] {
    [
      (.healthy, "exited"), (.errored, "errored"), (.unhandled, "unhandled"), (.abnormal, "abnormal"),
      (.crashed, "crashed"),
    ]
  }

  /// A count of sessions, at most one more than an item may count.
  private static func count(_ value: JSONValue?) throws -> Int {
    guard let value else { return 0 }
    return Int(min(try value.unsignedInteger(), UInt64(mostSessions + 1)))
  }
}

extension SentryReader {
  /// The most entries of discarded data that are read from one envelope. Real clients have few categories and reasons.
  private static var mostLosses: Int { 1000 }

  /// Reads a `client_report` item: the data that the client discarded, by category and reason.
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
      let count = Int(exactly: min(quantity, DecodingLimits.losses).rounded()), count > 0
    else { return }
    losses.append(
      ClientLoss(
        category: loss.text("category")?.kept ?? "default", reason: loss.text("reason")?.kept ?? defaultReason,
        quantity: count))
  }
}

/// Groups the contents of a Sentry envelope into reports with equal origins, in the order of adding.
struct SentryReports {
  private(set) var reports: [Report] = []
  /// The number of parts that were left out, because the envelope has too many origins.
  private(set) var refused = 0
  /// The report of the latest origin. Nearly all envelopes have only one.
  private var latest: (origin: SentryOrigin, index: Int)?
  /// The reports of the origins before it.
  private var indexOfReport: [SentryOrigin: Int] = [:]
  /// The origin of each build's first measurement. The build's sessions take their device from it.
  private var devices: [Build: SentryOrigin] = [:]

  private struct Build: Hashable {
    let release: Release
    let environment: String

    init(_ origin: SentryOrigin) {
      release = origin.release
      environment = origin.environment
    }
  }

  mutating func add(_ diagnostic: Diagnostic, of origin: SentryOrigin) {
    if let index = index(of: origin) { reports[index].diagnostics.append(diagnostic) }
  }

  mutating func add(_ measurement: Measurement, of origin: SentryOrigin) {
    if devices[Build(origin)] == nil { devices[Build(origin)] = origin }
    if let index = index(of: origin) { reports[index].measurements.append(measurement) }
  }

  /// Adds a session. Call this after the measurements were added, because only they state its device.
  ///
  /// A session takes nothing from events. Clients send healthy sessions alone, so only sessions with errors would have a
  /// device, and every device would seem to have only failed sessions. Attributes are always the session's own.
  mutating func add(_ update: SessionUpdate, of origin: SentryOrigin) {
    var own = devices.isEmpty ? origin : devices[Build(origin)] ?? origin
    own.attributes = origin.attributes
    if let index = index(of: own) { reports[index].sessions.append(update) }
  }

  /// Adds the parts that belong to the whole envelope to its first report.
  mutating func finish(_ losses: [ClientLoss], assumedTimes: Int, rejectedSamples: Int) {
    if reports.isEmpty, !losses.isEmpty || rejectedSamples > 0 {
      _ = index(of: SentryOrigin(release: Release(version: ""), environment: "production"))
    }
    guard !reports.isEmpty else { return }
    reports[0].losses = losses
    reports[0].assumedTimes = assumedTimes
    reports[0].rejectedSamples = rejectedSamples
  }

  /// The index of the report with this origin, which is created on first use; nil if there are too many.
  private mutating func index(of origin: SentryOrigin) -> Int? {
    if let latest, latest.origin == origin { return latest.index }
    let known = indexOfReport[origin]
    guard known != nil || reports.count < DecodingLimits.documents else {
      refused += 1
      return nil
    }
    if let latest { indexOfReport[latest.origin] = latest.index }
    let index = known ?? reports.count
    if known == nil { reports.append(origin.emptyReport) }
    latest = (origin, index)
    return index
  }
}
