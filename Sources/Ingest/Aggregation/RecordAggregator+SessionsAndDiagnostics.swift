import Core
import Storage

extension RecordAggregator {
  mutating func merge(_ updates: [HashedSessionUpdate], _ payload: inout CurrentPayload) {
    for update in updates {
      payload.note(day: payload.clock.day(of: update.started))
      sessions.append(
        SessionRecord(
          key: cells[payload.cell], id: update.id, outcome: update.outcome, minute: payload.minute(of: update.started),
          sequence: update.sequence ?? (update.updated ?? payload.received).milliseconds,
          isSequenceExplicit: update.sequence != nil, user: update.user, hasHang: update.hasHang,
          received: payload.received))
    }
  }

  mutating func merge(_ recorded: [RecordedDiagnostic], _ payload: inout CurrentPayload) {
    for diagnostic in recorded {
      let bin = payload.bin(of: diagnostic.time)
      payload.note(day: bin.day)
      let size = diagnostic.body.bytes.count + diagnostic.calls.bytes.count
      diagnosticBytes += size + 512
      // The content of a frame is several times as large, and is decompressed for the signature.
      diagnosticWork += 100 + size / (diagnostic.calls.isFrame ? 4 : 64)
      var time: Timestamp?
      if case .instant(let instant) = diagnostic.time { time = instant }
      diagnostics.append(
        DiagnosticRecord(
          key: cells[payload.cell], kind: diagnostic.kind, identity: diagnostic.identity, bin: bin, time: time,
          hangMinute: payload.hangMinute(of: diagnostic, from: cells[payload.cell].source),
          quantity: diagnostic.quantity, session: diagnostic.session, user: diagnostic.user,
          exception: diagnostic.exception, isInBackground: diagnostic.isInBackground, calls: diagnostic.calls,
          bodySize: diagnostic.bodySize, body: diagnostic.body, received: payload.received))
    }
  }
}
