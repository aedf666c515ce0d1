import OTLPMessages
import SwiftProtobuf
import Testing

@testable import Core
@testable import Ingest

@Suite("OTLP logs")
struct OTLPLogsTests {
  private static func record(
    _ attributes: [PBKeyValue], named name: String = "", severity: Int32 = 0, body: String? = nil
  ) -> PBLogRecord {
    .with {
      $0.eventName = name
      $0.severityNumber = severity
      $0.timeUnixNano = OTLP.at
      $0.attributes = attributes
      if let body { $0.body = OTLP.value(body) }
    }
  }

  private static func decode(_ records: [PBLogRecord], keepsText: Bool = false) throws -> Decoded {
    let request = PBExportLogsServiceRequest.with { request in
      request.resourceLogs = [
        .with {
          $0.resource.attributes = OTLP.resource + OTLP.attributes(["app.installation.id": "install-1"])
          $0.scopeLogs = [.with { $0.logRecords = records }]
        }
      ]
    }
    let decoded = try OTLP.decode(request.serializedBytes(), as: .otlpLogs(.protobuf), keepsText: keepsText)
    #expect(try OTLP.decode(request.jsonUTF8Bytes(), as: .otlpLogs(.json), keepsText: keepsText) == decoded)
    return decoded
  }

  private static let stack = """
    {"callStackPerThread":true,"callStacks":[{"threadAttributed":false,"callStackFrames":[]},
    {"threadAttributed":true,"callStackFrames":[
    {"binaryName":"libsystem","binaryUUID":"00000000-0000-0000-0000-00000000000a","offsetAddress":12},
    {"binaryName":"Shop","binaryUUID":"70B89F27-1634-3580-A695-57CDB41D7743","offsetAddress":4660},
    {"binaryName":"Shop","binaryUUID":"70B89F27-1634-3580-A695-57CDB41D7743","offsetAddress":1}]}]}
    """

  @Test("a stack from Apple's tree or the instrumentation's list has MetricKit's order, outermost first for a hang")
  func stackOrders() throws {
    let frames = [("libsystem", 12), ("Shop", 4660), ("Shop", 1)]
    let list = frames.map { #"{"binaryName":"\#($0.0)","offsetAddress":\#($0.1)}"# }.joined(separator: ",")
    var tree = ""
    for (name, offset) in frames.reversed() {
      let inner = tree.isEmpty ? "" : #","subFrames":[\#(tree)]"#
      tree = #"{"binaryName":"\#(name)","offsetIntoBinaryTextSegment":\#(offset)\#(inner)}"#
    }
    let texts = [
      #"{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackFrames":[\#(list)]}]}"#,
      #"{"callStackPerThread":true,"callStacks":[{"threadAttributed":true,"callStackRootFrames":[\#(tree)]}]}"#,
    ]
    for (name, offsets) in [("crash", [1, 4660, 12]), ("hang", [12, 4660, 1])] as [(String, [UInt64])] {
      for text in texts {
        let attributes = OTLP.attributes(["name": "metrickit.diagnostic.\(name)", "exception.stacktrace": text])
        let calls = try #require(try Self.decode([Self.record(attributes)]).reports.first?.diagnostics.first?.calls)
        #expect(calls.frames.map(\.offset) == offsets && calls.frames.map(\.caller) == [-1, 0, 1], "\(name) \(text)")
        #expect(calls.threads == [CallTree.Thread(range: 0..<3, isAttributed: true)])
      }
    }
  }

  @Test("a crash of OpenTelemetry's MetricKit instrumentation is a crash, with its stack outermost first")
  func crash() throws {
    let attributes = OTLP.attributes([
      "name": "metrickit.diagnostic.crash", "exception.type": "EXC_BAD_ACCESS", "exception.message": "Ann's secret",
      "exception.stacktrace": Self.stack, "session.id": "s-1",
      "metrickit.diagnostic.crash.exception.termination_reason": "Namespace SIGNAL, Code 11",
      "metrickit.diagnostic.crash.exception.signal": "11", "metrickit.diagnostic.crash.exception.code": "58",
      "metrickit.diagnostic.crash.exception.mach_exception.type": "1",
    ])
    let report = try #require(try Self.decode([Self.record(attributes)]).reports.first)
    let diagnostic = try #require(report.diagnostics.first)
    #expect(diagnostic.kind == .crash && diagnostic.session == "s-1" && diagnostic.user == "install-1")
    #expect(
      diagnostic.exception
        == ExceptionDetails(
          type: 1, code: 58, signal: 11, name: "EXC_BAD_ACCESS", termination: "Namespace SIGNAL, Code 11"))
    #expect(diagnostic.calls.threads == [CallTree.Thread(range: 0..<3, isAttributed: true)])
    #expect(diagnostic.calls.frames.map(\.offset) == [1, 4660, 12])
    #expect(diagnostic.calls.frames.map(\.caller) == [-1, 0, 1])
    #expect(
      diagnostic.calls.binaries == [
        CallTree.Binary(name: "libsystem", uuid: "0000000000000000000000000000000A"),
        CallTree.Binary(name: "Shop", uuid: "70B89F2716343580A69557CDB41D7743"),
      ])
    #expect(report.sessions.map(\.outcome) == [.crashed] && report.sessions[0].id == "s-1")
    let body = try diagnostic.body.json
    #expect(!body.contains("secret") && body.contains("callStacks"))
    let kept = try Self.decode([Self.record(attributes)], keepsText: true).reports[0].diagnostics[0]
    #expect(kept.exception.reason == "Ann's secret" && kept.identity == diagnostic.identity)
    #expect(try kept.body.json.contains("Ann's secret"))
  }

  @Test("an equal log record is the same diagnostic in any order of attributes, but not at another time")
  func identity() throws {
    let attributes = OTLP.attributes(["exception.type": "E", "exception.message": "m"])
    var later = Self.record(attributes, severity: 17)
    later.timeUnixNano += 1
    let found = try Self.decode([
      Self.record(attributes, severity: 17), Self.record(attributes.reversed(), severity: 17), later,
    ]).reports[0].diagnostics
    #expect(found[0].identity == found[1].identity && found[0].identity != found[2].identity)
  }

  @Test(
    "durations and written bytes are converted to Plumb's units",
    arguments: [
      ("hang", "hang_duration", "2.5", DiagnosticKind.hang, 2500.0),
      ("app_launch", "launch_duration", "3", .launchFailure, 3000),
      ("cpu_exception", "total_cpu_time", "20", .cpuException, 20),
      ("disk_write_exception", "total_writes_caused", "55000000", .diskWriteException, 55_000_000),
    ])
  func quantities(group: String, key: String, value: String, kind: DiagnosticKind, expected: Double) throws {
    let name = "metrickit.diagnostic.\(group)"
    let diagnostic = try #require(
      try Self.decode([Self.record(OTLP.attributes(["\(name).\(key)": value]), named: name)]).reports.first?.diagnostics
        .first)
    #expect(diagnostic.kind == kind && diagnostic.quantity == expected)
  }

  @Test("a fatal exception is a crash, one with severity error or none is an error, and a warning is not stored")
  func severities() throws {
    let attributes = OTLP.attributes(["exception.type": "ValueError", "exception.stacktrace": "Traceback: Ann"])
    let decoded = try Self.decode([21, 17, 0, 13].map { Self.record(attributes, severity: $0, body: "Ann") })
    #expect(decoded.reports[0].diagnostics.map(\.kind) == [.crash, .error, .error])
    #expect(try decoded.reports[0].diagnostics.allSatisfy { try !$0.body.json.contains("Ann") })
    #expect(decoded.rejection?.count == 1)
  }

  @Test("OTLP's events session.start and session.end are two updates of one healthy session")
  func sessions() throws {
    let attributes = OTLP.attributes(["session.id": "s-9"])
    let updates = try Self.decode([
      Self.record(attributes, named: "session.start"), Self.record(attributes, named: "session.end"),
    ])
    .reports[0].sessions
    #expect(updates.map(\.outcome) == [.healthy, .healthy])
    #expect(updates.allSatisfy { $0.user == "install-1" && $0.id == "s-9" })
    let moments = try updates.map { try #require($0.updated) }
    #expect(moments[1] < moments[0], "the start knows better")
  }

  @Test("other log records are counted, and the client is informed")
  func others() throws {
    let decoded = try Self.decode([
      Self.record([], body: "hello"), Self.record([], named: "ui.tap"), Self.record([], named: "session.start"),
    ])
    #expect(decoded.reports.isEmpty && decoded.rejection?.count == 3)
    #expect(decoded.rejection?.message.contains("are not stored") == true)
  }

  @Test(
    "an invalid stack leaves the diagnostic without one",
    arguments: ["{}", "{\"callStacks\":[{\"callStackFrames\":[7]}]}", "{"])
  func brokenStacks(text: String) throws {
    let attributes = OTLP.attributes(["exception.type": "E", "exception.stacktrace": text])
    #expect(try Self.decode([Self.record(attributes)]).reports[0].diagnostics[0].calls.isEmpty)
  }
}
