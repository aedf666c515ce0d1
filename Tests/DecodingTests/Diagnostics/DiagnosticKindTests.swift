import Testing

@testable import Core
@testable import Ingest

private struct Expected: CustomStringConvertible, Sendable {
  let description: String
  let kind: DiagnosticKind
  let element: String
  let quantity: Double?
  let picture: [[String]]
}

private let all: [Expected] = [
  Expected(
    description: "crashDiagnostics", kind: .crash, element: crashElement, quantity: nil,
    picture: [["dyld+48", "UIKitCore+32<0", "Shop+16<1"], ["libsystem+64"], []]),
  Expected(
    description: "hangDiagnostics", kind: .hang, element: hangElement, quantity: 9000,
    picture: [["dyld+48", "Shop+16<0", "Shop+24<0"], ["libsystem+64"]]),
  Expected(
    description: "cpuExceptionDiagnostics", kind: .cpuException, element: cpuElement, quantity: 20,
    picture: [["libsystem+64", "Shop+16<0", "Shop+32"]]),
  Expected(
    description: "diskWriteExceptionDiagnostics", kind: .diskWriteException, element: diskElement, quantity: 2000,
    picture: [["libsystem+64", "Shop+16<0"]]),
  Expected(
    description: "appLaunchDiagnostics", kind: .launchFailure, element: launchElement, quantity: 20_000,
    picture: [["dyld+48", "Shop+16<0"]]),
  Expected(
    description: "memoryExceptionDiagnostics", kind: .memoryException, element: memoryElement, quantity: nil,
    picture: [["Shop+16", "libsystem+64<0"]]),
]

@Test("each kind of diagnostic is read from a payload's list, outermost frame first", arguments: all)
private func inPayloads(expected: Expected) throws {
  let found = try decode(#"{"\#(expected.description)": [\#(expected.element)]}"#).diagnostics
  try #require(found.count == 1)
  #expect(found[0].kind == expected.kind && found[0].quantity == expected.quantity)
  #expect(found[0].calls.picture == expected.picture)
}

@Test("the kind of a single diagnostic follows from its own keys", arguments: all.dropLast())
private func alone(expected: Expected) throws {
  for text in [expected.element, "[\(expected.element)]", #"{"payload": \#(expected.element)}"#] {
    let found = try decode(text).diagnostics
    try #require(found.count == 1)
    #expect(found[0].kind == expected.kind && found[0].quantity == expected.quantity)
    #expect(found[0].calls.picture == expected.picture)
  }
}

@Test("a payload with every kind of diagnostic is one report, and several payloads are several")
func wholePayload() throws {
  let reports = try decode(diagnosticPayload)
  try #require(reports.count == 1)
  #expect(
    reports[0].diagnostics.map(\.kind) == [
      .crash, .hang, .cpuException, .diskWriteException, .launchFailure, .memoryException,
    ])
  #expect(reports[0].source == .metricKit && reports[0].measurements.isEmpty && reports[0].sessions.isEmpty)
  #expect(reports[0].release == Release(version: "4.2.0", build: "1234") && reports[0].bundleID == "com.example.shop")
  #expect(reports[0].unknownUnits == 0 && reports[0].rejectedSamples == 0 && reports[0].assumedTimes == 0)
  #expect(try decode("\(diagnosticPayload)\n\(diagnosticPayload)").count == 2)
  #expect(
    try decode("[\(diagnosticPayload), \(completePayload), \(crashElement)]").map(\.measurements.isEmpty) == [
      true, false, true,
    ])
}

@Test("a payload without diagnostics is a report without contents")
func nothingDiagnosed() throws {
  for text in [
    #"{"timeStampBegin": "2026-11-18 08:16:00", "timeStampEnd": "2026-11-18 08:16:00"}"#,
    #"{"crashDiagnostics": [], "timeStampBegin": "2026-11-18 08:16:00"}"#,
    #"{"hangDiagnostics": null, "timeStampEnd": "2026-11-18 08:16:00"}"#,
  ] {
    let reports = try decode(text)
    #expect(reports.count == 1 && reports.diagnostics.isEmpty)
  }
}

@Test("a payload into which a client merged the day's metrics has both")
func mergedPayload() throws {
  let text = #"{"gpuMetrics": {"cumulativeGPUTime": "20 sec"}, "crashDiagnostics": [\#(crashElement)]}"#
  let reports = try decode(text)
  #expect(reports.map(\.measurements.count) == [1, 0] && reports.map(\.diagnostics.count) == [0, 1])
}

@Test(
  "a tree without a stated kind is a crash if no frame called several, and otherwise sampled",
  arguments: [
    (tree([[frame("A", 1, [frame("B", 2)])]]), DiagnosticKind.crash, [["B+2", "A+1<0"]]),
    (tree([[frame("A", 1, [frame("B", 2), frame("C", 3)])]]), .hang, [["A+1", "B+2<0", "C+3<0"]]),
    (tree([[frame("A", 1), frame("B", 2)]]), .hang, [["A+1", "B+2"]]),
    (tree([[frame("A", 1, [frame("B", 2)])]], perThread: false), .cpuException, [["A+1", "B+2<0"]]),
  ])
func bareTrees(tree: String, kind: DiagnosticKind, picture: [[String]]) throws {
  for text in [tree, #"{"callStackTree": \#(tree)}"#, #"{"payload": {"callStackTree": {"callStackTree": \#(tree)}}}"#] {
    let found = try decode(text).diagnostics
    #expect(found.map(\.kind) == [kind] && found.first?.calls.picture == picture)
  }
}

@Test(
  "an envelope's kind applies if the diagnostic states none",
  arguments: [
    (#"{"kind": "hang", "payload": TREE}"#, DiagnosticKind.hang),
    (#"{"type": "MXCPUExceptionDiagnostic", "data": TREE}"#, .cpuException),
    (#"{"kind": "disk_write", "callStackTree": TREE}"#, .diskWriteException), (#"{"crashDiagnostic": TREE}"#, .crash),
    (#"{"kind": "diagnostic", "payload": TREE}"#, .crash), (#"{"hangDiagnostic": {"callStackTree": TREE}}"#, .hang),
  ])
func kindsOfEnvelopes(envelope: String, kind: DiagnosticKind) throws {
  let text = envelope.replacing("TREE", with: tree([[frame("A", 1, [frame("B", 2)])]]))
  #expect(try decode(text).diagnostics.map(\.kind) == [kind])
}
