internal import Core

/// Converts an `ExportLogsServiceRequest` into diagnostics, session updates and counts of slow frames. Other records are
/// counted as skipped or rejected.
struct OTLPLogsReader {
  let context: DecodingContext
  /// Parses call stacks, which are JSON in a text attribute.
  let parser: JSONParser
  let quota: DecodingQuota
  var collection = OTLPReports()
  /// A hash of the stored sessions and events.
  private var content = StableHash()
  private var hasDiagnostics = false
  private var hasEventValues = false

  init(context: DecodingContext, parser: JSONParser, quota: DecodingQuota) {
    self.context = context
    self.parser = parser
    self.quota = quota
  }

  mutating func read(_ request: OTLPExportLogsServiceRequest) {
    for part in request.resourceLogs {
      // Parts without records are skipped, because a hostile request can have one in every two bytes.
      guard part.scopeLogs.contains(where: { !$0.logRecords.isEmpty }) else { continue }
      let resource = OTLPLogResource(part.resource.attributes, context)
      for scope in part.scopeLogs {
        for record in scope.logRecords { read(OTLPLogEvent(record, resource: resource, context)) }
      }
    }
  }

  /// The reports. A request that is sent again with the same events counts once, unless it has diagnostics: these have
  /// ids of their own, and the request's key would become part of them.
  var decoded: Decoded {
    var decoded = collection.decoded
    if hasEventValues, !hasDiagnostics { decoded.retryKey = "OTLP events \(String(content.value, radix: 16))" }
    return decoded
  }

  private mutating func read(_ event: OTLPLogEvent) {
    switch event.meaning {
    case .diagnostic(let kind):
      guard quota.take(.diagnostics) else { return collection.reject(DecodingQuota.tooMany(.diagnostics)) }
      add(event, diagnostic(kind, event))
    case .sessionStart: add(event, SessionUpdate(id: event.session, at: event, .healthy))
    case .sessionEnd:
      // The SDK writes the end of a session when the next one begins, perhaps weeks later. The session's state may be
      // deleted by then, and the session would count again.
      guard context.received.milliseconds - event.time.milliseconds <= OTLPLimits.sessionEndAge else {
        return collection.skip("session.end of an older day")
      }
      // The end event has no start time, so the start's update must win. The end gets the oldest time.
      var update = SessionUpdate(id: event.session, at: event, .healthy)
      update?.updated = Timestamp(milliseconds: 0)
      add(event, update)
    case .embedded(let text):
      guard let diagnostic = EmbeddedDiagnostic.read(text, context, quota) else { return reject(event) }
      add(event, diagnostic)
    case .jank: addJank(event)
    case .skipped: collection.skip(event.name)
    case .other: reject(event)
    }
  }

  private mutating func addJank(_ event: OTLPLogEvent) {
    do throws(MetricRefusal) {
      let (values, label) = try OTLPCustomValue.jank(event.record.attributes)
      var measurements: [Measurement] = []
      for value in values { measurements.append(try value.measurement(label: label, at: event.time, quota)) }
      hasEventValues = true
      content.add(event.identity)
      change(event) { $0.measurements += measurements }
    } catch {
      collection.reject("\(event.name): \(error.message)")
    }
  }

  /// Reads the hang that a span lasted, as a log record with the span's attributes.
  mutating func read(hang span: OTLPSpan, milliseconds: Double, resource: OTLPLogResource) {
    guard quota.take(.diagnostics) else { return collection.reject(DecodingQuota.tooMany(.diagnostics)) }
    var record = OTLPLogRecord()
    record.timeUnixNano = span.startTimeUnixNano
    record.eventName = span.name
    record.attributes = span.attributes
    let event = OTLPLogEvent(record, resource: resource, context)
    var hang = diagnostic(.hang, event)
    hang.quantity = milliseconds
    add(event, hang)
  }

  private mutating func reject(_ event: OTLPLogEvent) {
    let name = event.name.isEmpty ? "" : " (found one named \(OTLPJSON.quoted(event.name.kept)))"
    collection.reject(
      "log records other than exceptions, crashes, MetricKit diagnostics, jank and session events are not stored\(name)"
    )
  }

  private mutating func add(_ event: OTLPLogEvent, _ update: SessionUpdate?) {
    guard let update else { return collection.reject("\(event.name) needs the attribute session.id") }
    guard quota.take(.sessions) else { return collection.reject(DecodingQuota.tooMany(.sessions)) }
    content.add(event.name)
    content.add(update.id)
    change(event) { $0.sessions.append(update) }
  }

  /// Adds a diagnostic. A crash also marks its session as crashed.
  private mutating func add(_ event: OTLPLogEvent, _ diagnostic: Diagnostic) {
    var ended = diagnostic.kind == .crash ? SessionUpdate(id: event.session, at: event, .crashed) : nil
    if ended != nil, !quota.take(.sessions) { ended = nil }
    hasDiagnostics = true
    change(event) { report in
      report.diagnostics.append(diagnostic)
      if let ended { report.sessions.append(ended) }
    }
  }

  private mutating func change(_ event: OTLPLogEvent, _ change: (inout Report) -> Void) {
    do throws(DecodingFailure) {
      try collection.update(event.origin) { report in
        change(&report)
        if event.isTimeAssumed { report.assumedTimes += 1 }
      }
    } catch {
      collection.reject("\(error)")
    }
  }
}

extension SessionUpdate {
  /// Creates an update at the event's time; nil without an id.
  fileprivate init?(id: String?, at event: OTLPLogEvent, _ outcome: SessionOutcome) {
    guard let id else { return nil }
    self.init(
      id: id, outcome: outcome, started: event.time, updated: event.time, user: event.origin.installation)
  }
}
