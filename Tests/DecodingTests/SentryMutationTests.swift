import Testing
import TestSupport

@testable import Core
@testable import Ingest

private let original: [UInt8] = {
  let event = sentryCrash.replacing("\n", with: " ")
  let text = envelope(
    ("event", event), sessionItem("\"sid\":\"\(sentrySID)\",\"seq\":3,\"duration\":2.5"),
    (
      "sessions", "{\"aggregates\":[{\"started\":\"2026-11-21T09:00:00Z\",\"exited\":3}],\"attrs\":{\"release\":\"1\"}}"
    ),
    (
      "transaction",
      #"{"timestamp":1795251600.5,"measurements":{"app_start_cold":{"value":812.5},"frames_total":{"value":9}}}"#
    ),
    ("trace_metric", #"{"items":[{"name":"a","type":"gauge","value":1,"attributes":{"k":{"value":"v"}}}]}"#),
    ("client_report", "{\"discarded_events\":[{\"reason\":\"x\",\"category\":\"y\",\"quantity\":1}]}"),
    header: "{\"event_id\":\"fc6d8c0c43fc4630ad850ee518f1b9d0\",\"sent_at\":\"2026-11-21T10:00:00Z\"}")
  return Array(text.utf8)
}()

/// Whether it was read; what was read is sound, and what was not has a reason.
private func isRead(_ bytes: [UInt8], _ decoder: PayloadDecoder) -> Bool {
  do throws(DecodingFailure) {
    let decoded = try decode(bytes, as: .sentryEnvelope, with: decoder)
    for diagnostic in decoded.reports.flatMap(\.diagnostics) {
      let calls = diagnostic.calls
      let callers = calls.frames.enumerated().allSatisfy { (-1..<$0).contains($1.caller) }
      let binaries = calls.frames.allSatisfy { (-1..<calls.binaries.count).contains($0.binary) && $0.samples > 0 }
      #expect(callers && binaries && (calls.threads.last?.range.upperBound ?? 0) == calls.frames.count)
      #expect((try? decode(diagnostic.body.text(limit: 1 << 20), as: .sentryStore)) != nil, "the body is JSON")
    }
    for measurement in decoded.reports.flatMap(\.measurements) {
      if case .samples(let samples) = measurement.value { #expect(samples.allSatisfy { $0 >= 0 && $0 <= 1e15 }) }
    }
    for session in decoded.reports.flatMap(\.sessions) { #expect(!session.id.isEmpty && (session.duration ?? 0) >= 0) }
    return true
  } catch {
    #expect(!error.detail.isEmpty)
    return false
  }
}

@Test("every prefix of a Sentry envelope is read or refused with a reason")
func sentryPrefixes() {
  let decoder = PayloadDecoder()
  let read = (0...original.count).count { isRead(Array(original[..<$0]), decoder) }
  #expect(read > original.count / 2)
}

@Test("a Sentry envelope with any mutation is read or refused with a reason", arguments: 0..<2)
func sentryMutations(seed: Int) {
  var random = SeededRandom(seed: UInt64(seed))
  let decoder = PayloadDecoder()
  var read = 0
  for _ in 0..<1500 {
    var bytes = original
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...9, using: &random)))
      default:
        bytes.insert(
          contentsOf: "-1e308[]{}\"\n99999999999999999999,:".utf8.shuffled(using: &random).prefix(4), at: index)
      }
    }
    if isRead(bytes, decoder) { read += 1 }
  }
  #expect(read > 100)
}

@Test("an event nested as deeply as the parser allows uses no stack")
func sentryDepth() throws {
  let deep = String(repeating: "[", count: 4000) + String(repeating: "]", count: 4000)
  let decoded = try decode(envelope: envelope(("event", "{\"level\":\"error\",\"threads\":\(deep),\"sdk\":\(deep)}")))
  #expect(decoded.reports.flatMap(\.diagnostics).count == 1)
}
