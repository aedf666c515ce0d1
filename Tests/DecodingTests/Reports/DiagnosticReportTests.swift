import Testing

@testable import Core
@testable import Ingest

/// A crash as iOS 27 reports it.
let diagnosticReport = #"""
  {"timeRange": {"begin": 816679000.0, "end": 816679000.0},
   "environment": {"pid": 7, "osVersion": {"platform": "iOS", "number": "27.0", "buildNumber": "24A1"},
     "deviceType": "iPhone18,1", "isTestFlightApp": false, "applicationVersion": "9.9",
     "applicationBuildVersion": "99", "bundleIdentifier": "com.example.shop", "signpostData": [], "states": {}},
   "crashDiagnostic": {"exceptionType": 1, "exceptionCode": 18446744073709551615, "signal": 11,
     "terminationCategory": "badAccess", "terminationReason": "Namespace SIGNAL", "callStackTree": {
     "callStackPerThread": true, "binaryInfo": [
       {"uuid": "11111111-2222-3333-4444-555555555555", "name": "Shop"},
       {"uuid": "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE", "name": "libsystem"}],
     "callStackThreads": [{"threadAttributed": true, "rootFrames": [
       {"binaryUUID": "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE", "address": 6442455604, "sampleCount": 1,
        "offsetIntoBinaryTextSegment": 4660, "subFrames": [
         {"binaryUUID": "11111111-2222-3333-4444-555555555555", "address": 4294968576, "sampleCount": 1,
          "offsetIntoBinaryTextSegment": 1280, "subFrames": []}]}]}]}}}
  """#

@Test("a crash of iOS 27 is read with the names of its binaries")
func crashReport() throws {
  let reports = try decode(diagnosticReport)
  try #require(reports.count == 1 && reports.diagnostics.count == 1)
  let diagnostic = reports.diagnostics[0]
  #expect(diagnostic.kind == .crash && diagnostic.calls.picture == [["Shop+1280", "libsystem+4660<0"]])
  #expect(
    diagnostic.exception
      == ExceptionDetails(
        type: 1, code: .max, signal: 11, name: "EXC_BAD_ACCESS", termination: "badAccess: Namespace SIGNAL"))
  #expect(diagnostic.time == Timestamp(iso: "2026-11-18T07:16:40Z").map { .instant($0) })
  #expect(reports[0].release == Release(version: "9.9", build: "99") && reports[0].environment == "production")
  #expect(reports[0].device.system.title == "iOS 27.0" && reports[0].assumedTimes == 0)
  #expect(try diagnostic.body.json.hasPrefix(#"{"timeRange":{"begin":816679000.0"#))
}

@Test(
  "each kind of iOS 27's diagnostics has its own key and quantity",
  arguments: [
    ("hangDiagnostic", #""hangDuration": {"value": 3, "unit": "s"}"#, DiagnosticKind.hang, Double?(3000)),
    ("cpuExceptionDiagnostic", #""totalCPUTime": {"value": 2, "unit": "min"}"#, .cpuException, 120),
    ("diskWriteExceptionDiagnostic", #""totalBytesWritten": {"value": 2, "unit": "GB"}"#, .diskWriteException, 2e9),
    ("appLaunchDiagnostic", #""launchDuration": {"value": 20, "unit": "s"}"#, .launchFailure, 20_000),
    ("memoryExceptionDiagnostic", #""x": 1"#, .memoryException, nil),
  ])
func kindsOfReports(key: String, member: String, kind: DiagnosticKind, quantity: Double?) throws {
  let text = diagnosticReport.replacing("crashDiagnostic\": {", with: "\(key)\": {\(member), ")
  for text in [text, #"{"payload": \#(text)}"#, "[\(text)]"] {
    let found = try decode(text).diagnostics
    #expect(found.map(\.kind) == [kind] && found.map(\.quantity) == [quantity])
  }
}
