import Foundation
import Testing

@testable import Core
@testable import Ingest

private func sole(_ text: String) throws -> Diagnostic {
  let found = try decode(text).diagnostics
  try #require(found.count == 1)
  return found[0]
}

private func crash(_ metaData: String, keeping: Bool = false) throws -> Diagnostic {
  let text = #"{"crashDiagnostics": [{"diagnosticMetaData": {\#(metaData)}}]}"#
  return try #require(try (keeping ? decode(keepingText: text) : decode(text)).diagnostics.first)
}

@Test("a crash keeps the system's information about it")
func crashFacts() throws {
  #expect(
    try sole(crashElement).exception
      == ExceptionDetails(
        type: 1, code: .max, signal: 11, name: "EXC_BAD_ACCESS", termination: "Namespace SIGNAL, Code 11"))
  #expect(try sole(hangElement).exception == ExceptionDetails())
  #expect(try crash(#""exceptionType": 12"#).exception.name == "EXC_GUARD")
  #expect(try crash(#""exceptionType": 99"#).exception.name == nil)
  #expect(try crash(#""exceptionType": "EXC_CRASH""#).exception == ExceptionDetails(name: "EXC_CRASH"))
  // As clients write it that read it into 64 bits with a sign, and as a double beyond them.
  #expect(try crash(#""exceptionCode": -1"#).exception.code == .max)
  #expect(try crash(#""exceptionCode": 1e300, "signal": 1e300"#).exception == ExceptionDetails())
}

@Test("a long termination reason is cut, and a short one keeps every line")
func terminations() throws {
  let reason = #"<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:[app<x>:1]\nProcessState: Running>"#
  #expect(
    try crash(#""terminationReason": "\#(reason)""#).exception.termination == reason.replacing("\\n", with: "\n"))
  let long = String(repeating: "é", count: 400)
  #expect(try crash(#""terminationReason": "a\#(long)""#).exception.termination?.utf8.count == 499)
}

private let reason = #"""
  "objectiveCexceptionReason": {"composedMessage": "card 4711 of Ann", "formatString": "card %@", "arguments": ["4711"],
    "exceptionType": "NSException", "className": "NSException", "exceptionName": "NSInvalidArgumentException",
    "stackTrace": ["0 Shop"]}, "exceptionType": 10
  """#

@Test("an exception's text is dropped unless the app keeps it, and its name is always stored")
func exceptionText() throws {
  let without = try crash(reason)
  #expect(without.exception.name == "NSInvalidArgumentException" && without.exception.reason == nil)
  let body = try without.body.json
  #expect(!body.contains("4711") && !body.contains("card") && body.contains("stackTrace"))
  let with = try crash(reason, keeping: true)
  #expect(with.exception.reason == "card 4711 of Ann")
  #expect(try with.body.json.contains(#""arguments":["4711"]"#))
  #expect(with.identity == without.identity)
  for text in [#""exceptionReason": "card 4711""#, #""exceptionReason": {"composedMessage": "card 4711"}"#] {
    #expect(try !crash(text).body.json.contains("4711"))
    #expect(try crash(text, keeping: true).exception.reason == "card 4711")
  }
}

@Test("the stored body is the element with its payload's window, and reads back the same")
func bodies() throws {
  let diagnostic = try #require(try decode(diagnosticPayload).diagnostics.first)
  let body = try #require(
    try JSONSerialization.jsonObject(with: Data(diagnostic.body.text(limit: .max))) as? NSDictionary)
  let element = try #require(JSONSerialization.jsonObject(with: Data(crashElement.utf8)) as? [String: Any])
  let window = ["timeStampBegin": "2026-11-18 08:16:00", "timeStampEnd": "2026-11-18 08:16:00"]
  #expect(body == NSDictionary(dictionary: element.merging(window) { one, _ in one }))
  let text = try diagnostic.body.json
  #expect(text.contains("18446744073709551615") && !text.contains("\n") && !text.contains("\": "))
}

@Test("quantities are read in any language, and invalid ones are rejected")
func quantities() throws {
  func hang(_ duration: String) throws -> Report {
    try #require(try decode(#"{"hangDiagnostics": [{"diagnosticMetaData": {"hangDuration": \#(duration)}}]}"#).first)
  }
  for text in [
    #""20 secs.""#, #""20秒""#, #""20 Sek.""#, #""20000 ms""#, #"{"value": 20, "unit": "s"}"#,
    #"{"value": 20000, "unit": {"symbol": "ms", "converter": {"coefficient": 0.001}}}"#,
  ] {
    let report = try hang(text)
    #expect(report.diagnostics.first?.quantity == 20_000 && report.unknownUnits == 0, "\(text)")
  }
  #expect(try hang("20").unknownUnits == 1 && hang("20").diagnostics.first?.quantity == 20_000)
  for text in [#""long""#, #""-3 sec""#, "-1", "[]"] {
    let report = try hang(text)
    #expect(report.rejectedSamples == 1 && report.diagnostics.first?.quantity == nil, "\(text)")
  }
  let disk = #"{"diskWriteExceptionDiagnostics": [{"diagnosticMetaData": {"writesCaused": "2,000 qubits"}}]}"#
  #expect(try sole(disk).quantity == 2000)
}

@Test("a time with a zone is an instant; a local time or a window of a day is a day")
func times() throws {
  func time(_ members: String) throws -> MeasurementTime { try sole(#"{\#(members), "crashDiagnostics": [{}]}"#).time }
  func instant(_ iso: String) -> MeasurementTime? { Timestamp(iso: iso).map { .instant($0) } }
  func day(_ iso: String) -> MeasurementTime? { CalendarDay(iso: iso).map { .day($0) } }
  func window(_ begin: String, _ end: String) -> String { #""timeStampBegin": \#(begin), "timeStampEnd": \#(end)"# }
  #expect(
    try time(window(#""2026-11-18 08:16:00 +0000""#, #""2026-11-18 08:16:00 +0000""#))
      == instant("2026-11-18T08:16:00Z"))
  #expect(try time(window(#""2026-11-18 08:16:00""#, #""2026-11-18 08:16:00""#)) == day("2026-11-18"))
  #expect(
    try time(window(#""2026-11-17 23:00:00 +0000""#, #""2026-11-18 22:59:00 +0000""#)) == day("2026-11-18"))
  // A window of 20 hours is a day's.
  #expect(
    try time(window(#""2026-11-17 23:00:00 +0000""#, #""2026-11-18 19:00:00 +0000""#)) == day("2026-11-18"))
  #expect(
    try time(window(#""2026-11-17 23:00:00 +0000""#, #""2026-11-18 18:59:59 +0000""#))
      == instant("2026-11-18T18:59:59Z"))
  #expect(try time(#""timeStampEnd": "2026-11-18T08:16:00+05:30""#) == instant("2026-11-18T02:46:00Z"))
  #expect(try time(window("1794956400", "1794960000")) == instant("2026-11-18T00:00:00Z"))
  // Swift's own dates; a time a year ahead of the receipt.
  #expect(try time(window("816649200.0", "816649200.0")) == instant("2026-11-17T23:00:00Z"))
  #expect(try time(#""timeStampEnd": "2027-11-18T08:16:00Z""#) == .instant(receiptTime))
  #expect(failure(#"{"timeStampBegin": "noon", "crashDiagnostics": [{}]}"#)?.path == "timeStampBegin")
}

@Test("a diagnostic without a time gets the receipt's with a warning, unless its envelope has one")
func missingTimes() throws {
  let report = try #require(try decode(crashElement).first)
  #expect(report.diagnostics.map(\.time) == [.instant(receiptTime)] && report.assumedTimes == 1)
  let wrapped = try #require(
    try decode(#"{"captured_at": "2026-11-18T08:16:00Z", "payload": \#(crashElement)}"#).first)
  #expect(wrapped.assumedTimes == 0)
  #expect(wrapped.diagnostics.map(\.time) == [.instant(Timestamp(milliseconds: 1_794_989_760_000))])
}

@Test("equal content has one identity, whatever the order of keys and the notation")
func identities() throws {
  let one =
    #"{"timeStampBegin": "2026-11-18 08:16:00", "crashDiagnostics": [{"callStackTree": {"callStackPerThread": true, "callStacks": []}, "diagnosticMetaData": {"signal": 11, "virtualMemoryRegionInfo": "r-x\/r-x"}}]}"#
  let other =
    #"{"crashDiagnostics": [{"diagnosticMetaData": {"virtualMemoryRegionInfo": "r-x/r-x", "signal": 11}, "callStackTree": {"callStacks": [ ], "callStackPerThread": true}}], "timeStampBegin": "2026-11-18 08:16:00"}"#
  #expect(try sole(one).identity == sole(other).identity)
  #expect(try sole(one).identity == sole(#"{"payloads": [{"raw": {"payload": \#(other)}}]}"#).identity)
  var seen: Set<UInt64> = [try sole(one).identity]
  let changes = [
    ("08:16", "08:17"), ("}]}", #", "version": "1.0.0"}]}"#), ("11,", "10,"), ("true", "false"), ("crash", "hang"),
  ]
  for (from, to) in changes { seen.insert(try sole(one.replacing(from, with: to)).identity) }
  seen.insert(try sole(#"{"appVersion": "2", "payload": \#(one)}"#).identity)
  #expect(seen.count == 7)
}

@Test("each diagnostic belongs to its own release and device, and equal ones share a report")
func origins() throws {
  let old = crashElement.replacing("4.2.0", with: "4.1.0")
  let reports = try decode(#"{"crashDiagnostics": [\#(crashElement), \#(old)], "hangDiagnostics": [\#(hangElement)]}"#)
  #expect(reports.map(\.release.version) == ["4.2.0", "4.1.0"] && reports.map(\.diagnostics.count) == [2, 1])
  let system = OperatingSystem(name: "iOS", version: "18.6.2", build: "22G100")
  #expect(reports.allSatisfy { $0.device == Device(model: "iPhone15,2", system: system) })
}

@Test(
  "the environment is TestFlight if the device states it, and simulated for frames in Xcode's test binary",
  arguments: [
    (#""isTestFlightApp": false"#, "Shop", "production"), (#""isTestFlightApp": true"#, "Shop", "testflight"),
    (#""isTestFlightApp": true"#, "testBinaryName", "simulated"), (#""pid": 1"#, "testBinaryName", "simulated"),
  ])
func environments(metaData: String, binary: String, environment: String) throws {
  let element = element(metaData, tree([[frame("UIKitCore", 1, [frame(binary, 2)])]]))
  #expect(try decode(#"{"crashDiagnostics": [\#(element)]}"#).map(\.environment) == [environment])
}
