import Testing

@testable import Core
@testable import Ingest

/// A payload whose crash says nothing about where it comes from.
private let anonymous =
  #"{"timeStampBegin": "2026-11-18 08:16:00", "crashDiagnostics": [{"callStackTree": TREE, "diagnosticMetaData": {"signal": 11}}]}"#
  .replacing("TREE", with: tree([[frame("Shop", 16)]]))

private func filled(_ envelope: String) throws -> Report {
  let text = anonymous.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  let reports = try decode(envelope.replacing("TEXT", with: "\"\(text)\"").replacing("DOC", with: anonymous))
  #expect(reports.count == 1 && reports.diagnostics.count == 1)
  return try #require(reports.first)
}

@Test(
  "payloads are found in clients' wrappers, as objects and as strings",
  arguments: [
    #"{"payloads": DOC}"#, #"{"payloads": [DOC]}"#, #"{"payloads": [TEXT]}"#, #"{"data": TEXT}"#,
    #"{"mxDiagnosticPayload": DOC}"#, #"{"payloads": [{"kind": "diagnostic", "raw": {"payload": TEXT}}]}"#,
    #"{"diagnostics": [DOC]}"#, #"{"summary": {"crashes": 1}, "payload": DOC, "data": "not JSON"}"#,
    #"{"report": {"id": 7}, "payload": DOC}"#, #"{"mxDiagnostics": [DOC]}"#, #"[{"body": {"json": {"report": DOC}}}]"#,
  ])
func wrappers(envelope: String) throws {
  #expect(try filled(envelope).diagnostics.map(\.kind) == [.crash])
}

@Test("metrics and diagnostics in one envelope are both read")
func bothInOneEnvelope() throws {
  let reports = try decode(#"{"metrics": [\#(completePayload)], "diagnostics": [\#(anonymous)]}"#)
  #expect(reports.map(\.diagnostics.count) == [0, 1])
}

@Test("an error in one of several members of an envelope refuses the body")
func faultBesideDocument() {
  let text = #"{"metrics": {"gpuMetrics": 3}, "diagnostics": [\#(anonymous)]}"#
  #expect(failure(text)?.path == "metrics.gpuMetrics")
  #expect(failure(#"{"payload": \#(anonymous), "data": "{\"gpuMetrics\": "}"#)?.path == "data")
  #expect(failure(#"{"payload": \#(anonymous), "data": [1], "raw": "x"}"#) == nil)
  #expect(failure(#"{"payload": \#(anonymous), "data": [\#(anonymous), {"a": 1}]}"#)?.path == "data[1]")
}

@Test("version, build and platform of an envelope fill the missing fields of its payloads")
func platformEnvelope() throws {
  let report = try filled(#"{"platform": "ios", "version": "1.0", "build": "42", "payloads": [DOC]}"#)
  #expect(report.release == Release(version: "1.0", build: "42"))
  let reports = try decode(
    #"{"platform": "ios", "version": "1.0", "build": "42", "payloads": [\#(diagnosticPayload)]}"#)
  #expect(reports.map(\.release) == [Release(version: "4.2.0", build: "1234")])
}

@Test("device, OS version and window of an envelope with a string fill the payload's missing fields")
func textEnvelope() throws {
  let envelope = #"""
    {"generatedAt": 1795000000000, "appVersion": "3.1", "buildNumber": "77", "osVersion": "Version 26.1 (Build 23B85)",
     "deviceModel": "iPhone17,1", "payloads": [{"kind": "diagnostic", "windowStartMs": 1794989760000,
       "windowEndMs": 1794989760000, "summary": {}, "raw": {"payload": TEXT}}]}
    """#
  let report = try filled(envelope)
  #expect(report.release == Release(version: "3.1", build: "77") && report.device.model == "iPhone17,1")
  #expect(report.device.system == OperatingSystem(name: "iOS", version: "26.1", build: "23B85"))
  // The payload's own day counts, not the window.
  #expect(report.diagnostics.map(\.time) == [CalendarDay(iso: "2026-11-18").map { .day($0) }])
  let single = envelope.replacing("TEXT", with: #""{\"diagnosticMetaData\": {\"signal\": 11}}""#)
  #expect(try decode(single).diagnostics.map(\.time) == [.instant(Timestamp(milliseconds: 1_794_989_760_000))])
}

@Test("app and platform objects of an envelope fill the payload's missing fields")
func objectEnvelope() throws {
  let report = try filled(
    #"""
    {"schema_version": 1, "payload_id": "ab", "kind": "diagnostic", "captured_at": "2026-11-18T08:20:00Z",
     "app": {"version": "5.0", "build": "9", "distribution": "TestFlight", "bundle_id": "com.example.notes"},
     "platform": {"name": "iOS", "version": "26.1"}, "privacy": {"contains_chat_content": false},
     "device": {"model": "iPhone17,1", "version": "x", "build": "y"}, "payload": DOC}
    """#)
  #expect(report.release == Release(version: "5.0", build: "9") && report.environment == "testflight")
  #expect(report.device.system == OperatingSystem(name: "iOS", version: "26.1"))
  #expect(report.bundleID == "com.example.notes" && report.device.model == "iPhone17,1")
}

@Test("an envelope also fills metric payloads, and the inner of two envelopes takes precedence")
func metricEnvelope() throws {
  let text = #"{"gpuMetrics": {"cumulativeGPUTime": "20 sec"}, "timeStampBegin": "2026-11-18 00:00:00"}"#
  let reports = try decode(
    #"{"version": "1", "build": 2, "payloads": [{"appVersion": "3", "payload": \#(text)}], "osVersion": "18.1", "platform": "iOS"}"#
  )
  #expect(reports.map(\.release) == [Release(version: "3", build: "2")])
  #expect(reports.map(\.device.system.title) == ["iOS 18.1"])
}

@Test("a payload that a reporter re-encoded, with a zone and symbolicated names, is read")
func reencoded() throws {
  let text = #"""
    {"timeStampBegin": "2026-11-18 08:16:00 -0500", "timeStampEnd": "2026-11-18 08:16:00 -0500",
     "crashDiagnostics": [{"version": "1.0.0", "exceptionInfo": {"name": "NSRangeException"},
       "applicationSpecificInformation": ["secret"], "diagnosticMetaData": {"appVersion": "1", "signal": 6},
       "callStackTree": {"callStackPerThread": true, "callStacks": [{"threadAttributed": true, "callStackRootFrames": [
         {"binaryName": "Shop", "address": 4310988076, "offsetIntoBinaryTextSegment": 46380,
          "symbolInfo": [{"symbol": "load", "offset": 4}]}]}]}}]}
    """#
  let diagnostic = try #require(try decode(text).diagnostics.first)
  #expect(diagnostic.time == Timestamp(iso: "2026-11-18T13:16:00Z").map { .instant($0) })
  #expect(diagnostic.calls.frames.map(\.symbol?.function) == ["load"])
  #expect(try !diagnostic.body.json.contains("secret"))
}

@Test("members of an envelope with an unexpected type are ignored")
func strangeEnvelope() throws {
  let report = try filled(
    #"{"app": [1], "platform": 7, "osVersion": {"a": 1}, "version": null, "kind": true, "device": {"app": {}}, "payload": DOC}"#
  )
  #expect(report.release == Release(version: "") && report.device.model.isEmpty)
}
