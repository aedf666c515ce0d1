internal import Core

/// Converts an `ExportLogsServiceRequest` into diagnostics and session updates. Other records are counted as rejected.
struct OTLPLogsReader {
  let context: DecodingContext
  /// Parses call stacks, which are JSON in a text attribute.
  let parser: JSONParser
  let quota: RequestQuota
  var collection = OTLPCollection()

  init(context: DecodingContext, parser: JSONParser, quota: RequestQuota) {
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

  private mutating func read(_ event: OTLPLogEvent) {
    switch event.meaning {
    case .diagnostic(let kind):
      guard quota.take(.diagnostics) else { return collection.reject(RequestQuota.tooMany(.diagnostics)) }
      add(event, diagnostic(kind, event))
    case .sessionStart: add(event, SessionUpdate(id: event.session, at: event, .healthy))
    case .sessionEnd:
      // The end event has no start time, so the start's update must win. The end gets the oldest time.
      var update = SessionUpdate(id: event.session, at: event, .healthy)
      update?.updated = Timestamp(milliseconds: 0)
      add(event, update)
    case .embedded(let text):
      guard let diagnostic = EmbeddedDiagnostic.read(text, context, quota) else { return reject(event) }
      add(event, diagnostic)
    case .other: reject(event)
    }
  }

  private mutating func reject(_ event: OTLPLogEvent) {
    let name = event.name.isEmpty ? "" : " (found one named \(OTLPJSON.quoted(event.name.kept)))"
    collection.reject(
      "log records other than exceptions, MetricKit diagnostics and session events are not stored\(name)")
  }

  private mutating func add(_ event: OTLPLogEvent, _ update: SessionUpdate?) {
    guard let update else { return collection.reject("\(event.name) needs the attribute session.id") }
    guard quota.take(.sessions) else { return collection.reject(RequestQuota.tooMany(.sessions)) }
    change(event) { $0.sessions.append(update) }
  }

  /// Adds a diagnostic. A crash also marks its session as crashed.
  private mutating func add(_ event: OTLPLogEvent, _ diagnostic: Diagnostic) {
    var ended = diagnostic.kind == .crash ? SessionUpdate(id: event.session, at: event, .crashed) : nil
    if ended != nil, !quota.take(.sessions) { ended = nil }
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
