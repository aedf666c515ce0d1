internal import JSON
internal import Telemetry

extension NativeReader {
  /// A crash is a diagnostic, and marks the session it ended.
  mutating func readCrash(_ crash: JSONObject) throws {
    let at = try time(crash["at"])
    let session = try crash["session"].map { try Self.id($0) }
    try load.add(.diagnostics, at: crash.value)
    if session != nil { try load.add(.sessions, at: crash.value) }
    let stacks = try NativeStacks(crash, load)
    diagnostics.append(
      Diagnostic(
        kind: .crash, time: .instant(at), identity: identity(of: crash, at), exception: try exception(of: crash),
        session: session, user: installation, calls: stacks.tree,
        body: DiagnosticWindow().body(of: crash, keepsText: context.keepsExceptionText)))
    guard let session else { return }
    // The session's own update knows better when it started.
    let started = starts[session] ?? at
    // What a crash says of a session that no other part names, later crashes of it go by.
    if starts[session] == nil { starts[session] = at }
    sessions.append(
      SessionUpdate(id: session, outcome: .crashed, started: started, updated: at, user: installation))
  }

  /// A crash that does not say when it happened, happened now: sent again, or twice in a document, it counts again.
  private func identity(of crash: JSONObject, _ at: Timestamp) -> UInt64 {
    var hash = ContentHash(seed: crash.value.contentHash())
    hash.combine(UInt64(bitPattern: at.milliseconds))
    hash.combine(installation ?? "")
    origin.combine(into: &hash)
    if crash["at"] == nil { hash.combine(UInt64(diagnostics.count)) }
    return hash.value
  }

  private func exception(of crash: JSONObject) throws -> ExceptionFacts {
    var facts = ExceptionFacts()
    facts.name = try crash["exception"]?.text().kept
    facts.type = facts.name.flatMap { MachException.type(named: $0) }
    facts.code = try crash["code"]?.unsignedInteger()
    facts.termination = try crash["termination"]?.text().kept(Limits.terminationBytes)
    if let signal = crash["signal"] {
      facts.signal = signal.kind == .string ? SignalNumber.named(try signal.text().kept) : try signal.integer()
    }
    if let reason = try crash["reason"]?.text(), context.keepsExceptionText {
      facts.reason = reason.kept(Limits.exceptionBytes)
    }
    return facts
  }
}
