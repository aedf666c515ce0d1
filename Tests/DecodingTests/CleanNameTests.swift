import SwiftProtobuf
import Testing

@testable import Core
@testable import Ingest

/// Controls of terminals, lines and writing direction, as the formats can carry them.
private let controls: [Unicode.Scalar] =
  ((0x01..<0x20).map { $0 } + [0x7F, 0x80, 0x85, 0x9B, 0x9F, 0x061C, 0x200E, 0x200F] + Array(0x202A...0x202E)
  + Array(0x2066...0x2069) + [0x2028, 0x2029]).compactMap(Unicode.Scalar.init(_:))

/// A name with all of them, the line ends last because a line of text ends there.
private func name(_ start: String, lineEnds: Bool = true) -> String {
  let scalars = controls.filter { lineEnds || ![0x0A, 0x0D].contains($0.value) }
  return start + String(String.UnicodeScalarView(scalars)) + "z"
}

/// As it stands in a JSON text.
private func json(_ start: String) -> String {
  start + controls.map { "\\u" + String(0x10000 + $0.value, radix: 16).dropFirst() }.joined() + "z"
}

/// Every text of a report that is shown as a name; ids and bodies are not.
private func names(_ value: Any, _ label: String = "") -> [(String, String)] {
  if let text = value as? String { return [(label, text)] }
  return Mirror(reflecting: value).children.flatMap { child in
    let name = child.label ?? label
    return ["body", "user", "session", "id"].contains(name) ? [] : names(child.value, name)
  }
}

private func check(_ decoded: Decoded, atLeast count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
  let found = names(decoded.reports) + names(decoded.rejection as Any)
  #expect(found.count { $0.1.utf8.count > 3 } >= count, "\(found)", sourceLocation: sourceLocation)
  for (label, text) in found {
    // What an exception or the system says of an end may have lines.
    let allowed: Set<Unicode.Scalar> = ["reason", "termination"].contains(label) ? ["\t", "\n"] : []
    let isClean = !text.unicodeScalars.contains { controls.contains($0) && !allowed.contains($0) }
    #expect(
      isClean && text.utf8.count <= 2000, "\(label): \(text.unicodeScalars.map(\.value))",
      sourceLocation: sourceLocation)
  }
}

@Suite("Names of every format")
struct CleanNameTests {
  @Test("control characters become spaces, direction marks are replaced, and long names end between two scalars")
  func rule() {
    #expect(
      SanitizedText.name("4.2\n[31m\u{1B}[0m\u{202E}\u{9B}\u{7F}x\u{2028}y")
        == "4.2 [31m [0m\u{FFFD}  x y")
    #expect(SanitizedText.name("Größe 👩‍👩‍👧 한국어 שלום") == "Größe 👩‍👩‍👧 한국어 שלום")
    #expect(SanitizedText.name(String(repeating: "é", count: 150)) == String(repeating: "é", count: 100))
    #expect(
      SanitizedText.name(String(repeating: "x", count: 99) + "👍", atMost: 101) == String(repeating: "x", count: 99))
    #expect(SanitizedText.name(String(repeating: "\u{1}", count: 5_000)).utf8.count == 200)
    #expect(SanitizedText.name(String(repeating: "\u{202E}", count: 5_000)).utf8.count == 198)
    for scalar in controls {
      #expect(!SanitizedText.name("a\(Character(scalar))b").unicodeScalars.contains(scalar))
    }
  }

  @Test("names in native documents are cleaned")
  func native() throws {
    let text = #"""
      {"app": {"bundle_id": "\#(json("app"))", "version": "\#(json("v"))", "build": "\#(json("b"))"},
       "device": {"model": "\#(json("d"))", "os": "\#(json("iOS"))"}, "environment": "\#(json("e"))",
       "counters": [{"metric": "m", "label": "\#(json("l"))", "value": 1}],
       "crashes": [{"exception": "\#(json("x"))", "termination": "\#(json("t"))", "reason": "r",
         "frames": [{"binary": "\#(json("bin"))", "function": "\#(json("f"))", "file": "\#(json("file"))"}]}]}
      """#
    check(try decode(Array(text.utf8), as: .sniffed, keepsText: true), atLeast: 11)
    let refused = failure(#"{"app": {}, "sessions": [{"status": "\#(json("s"))"}]}"#)
    #expect(refused.map { !$0.description.unicodeScalars.contains { controls.contains($0) } } == true)
  }

  @Test("names in MetricKit's metrics and diagnostics are cleaned, in an envelope or alone")
  func metricKit() throws {
    let meta = #"""
      {"appBuildVersion": "\#(json("b"))", "appVersion": "\#(json("v"))", "osVersion": "\#(json("iOS"))",
       "deviceType": "\#(json("d"))", "bundleIdentifier": "\#(json("i"))", "exceptionType": "\#(json("x"))",
       "terminationReason": "\#(json("t"))",
       "objectiveCexceptionReason": {"className": "\#(json("c"))", "composedMessage": "\#(json("m"))"}}
      """#
    let metrics = #"""
      {"timeStampBegin": "2026-11-19 00:00:00", "appVersion": "\#(json("v"))", "metaData": \#(meta),
       "signpostMetrics": [{"signpostName": "\#(json("s"))", "signpostCategory": "c", "totalSignpostCount": 1}]}
      """#
    let frame =
      #"{"binaryName": "\#(json("bin"))", "symbolInfo": [{"symbol": "\#(json("f"))", "file": "\#(json("p"))"}]}"#
    let diagnostics = #"""
      {"timeStampBegin": "2026-11-19 00:00:00", "crashDiagnostics": [{"diagnosticMetaData": \#(meta),
       "callStackTree": {"callStacks": [{"callStackRootFrames": [\#(frame)]}]}}]}
      """#
    let report = #"""
      {"timeRange": {"begin": 1795100000}, "environment": \#(meta), "stateEntries": [{"state": {"label": "\#(json("l"))",
       "domain": "\#(json("d"))"}, "values": [{"\#(json("k"))": {"value": 1}}]}]}
      """#
    for (text, count) in [(metrics, 5), (diagnostics, 9), (report, 6)] {
      check(try decode(Array(text.utf8), as: .sniffed, keepsText: true), atLeast: count)
      let envelope = #"""
        {"payload": \#(text), "appVersion": "\#(json("v"))", "environment": "\#(json("e"))", "platform": "\#(json("p"))",
         "os": "\#(json("o"))", "deviceModel": "\#(json("m"))", "bundleId": "\#(json("i"))"}
        """#
      check(try decode(Array(envelope.utf8), as: .sniffed, keepsText: true), atLeast: count)
    }
  }

  @Test("names in Sentry's envelopes and events are cleaned")
  func sentry() throws {
    let event = #"""
      {"level": "fatal", "release": "\#(json("app"))@1+2", "dist": "\#(json("d"))", "environment": "\#(json("e"))",
       "contexts": {"device": {"model": "\#(json("m"))"}, "os": {"name": "\#(json("o"))", "version": "\#(json("v"))",
         "build": "\#(json("b"))"}, "app": {"app_name": "\#(json("n"))"}},
       "debug_meta": {"images": [{"image_addr": "0x10", "code_file": "/a/\#(json("c"))"}]},
       "exception": {"values": [{"type": "\#(json("T"))", "value": "\#(json("w"))", "stacktrace": {"frames": [
         {"function": "\#(json("f"))", "filename": "\#(json("g"))", "package": "/x/\#(json("p"))"},
         {"instruction_addr": "0x11"}]}}]}}
      """#
    check(try decode(Array(event.utf8), as: .sentryStore, keepsText: true), atLeast: 11)
    let session =
      #"{"started": "2026-11-20T10:00:00Z", "attrs": {"release": "\#(json("r"))", "environment": "\#(json("e"))"}}"#
    let losses = #"{"discarded_events": [{"reason": "\#(json("r"))", "category": "\#(json("c"))", "quantity": 3}]}"#
    let body = envelope(
      ("event", event.replacing("\n", with: "")), ("session", session), ("client_report", losses),
      ("session", #"{"started": "\#(json("never"))"}"#))
    check(try decode(envelope: body), atLeast: 14)
  }

  @Test("names in OTLP's metrics and logs are cleaned")
  func otlp() throws {
    let resource = OTLP.attributes([
      "service.name": name("s"), "service.version": name("v"), "app.build_id": name("b"),
      "device.model.identifier": name("d"), "os.name": name("o"), "os.version": name("w"), "os.build_id": name("x"),
      "deployment.environment.name": name("e"),
    ])
    let metric = OTLP.metric(name("m"), name("u"), OTLP.gauge([OTLP.number(3, OTLP.attributes(["k": name("a")]))]))
    let refused = OTLP.metric(name("m"), "", OTLP.gauge([OTLP.number(-1)]))
    let message = OTLP.request([metric, refused], resource: resource)
    check(try OTLP.decode(message.serializedBytes(), as: .otlpMetrics(.protobuf)), atLeast: 10)
    let text = #"{"key": "exception.type", "value": {"stringValue": "\#(json("T"))"}}"#
    let crash = "metrickit.diagnostic.crash"
    let logs = #"""
      {"resourceLogs": [{"resource": {"attributes": [{"key": "service.version", "value": {"stringValue": "\#(json("v"))"}}]},
       "scopeLogs": [{"logRecords": [{"eventName": "\#(crash)", "attributes": [\#(text),
        {"key": "exception.message", "value": {"stringValue": "\#(json("M"))"}},
        {"key": "\#(crash).exception.termination_reason", "value": {"stringValue": "\#(json("R"))"}},
        {"key": "exception.stacktrace", "value": {"stringValue": "{\"callStacks\": [{\"callStackFrames\": [{\"binaryName\": \"\#(name("B", lineEnds: false).unicodeScalars.filter { $0.value >= 0x20 }.map { String($0) }.joined())\"}]}]}"}}]},
        {"eventName": "\#(json("unknown"))"}]}]}]}
      """#
    check(try OTLP.decode(Array(logs.utf8), as: .otlpLogs(.json), keepsText: true), atLeast: 5)
  }

  @Test("names in Apple's crash reports are cleaned, as JSON and as text")
  func appleReports() throws {
    let ips = #"""
      {"bug_type": "309", "app_version": "\#(json("v"))", "build_version": "\#(json("b"))", "bundleID": "\#(json("i"))",
       "os_version": "\#(json("iOS"))"}
      {"modelCode": "\#(json("m"))", "osVersion": {"train": "\#(json("t"))", "build": "\#(json("o"))"},
       "exception": {"type": "\#(json("x"))"}, "termination": {"namespace": "\#(json("n"))", "code": 1},
       "usedImages": [{"path": "/x/\#(json("p"))", "base": 1}],
       "threads": [{"frames": [{"imageIndex": 0, "imageOffset": 1, "symbol": "\#(json("f"))", "sourceFile": "\#(json("g"))"}]}]}
      """#
    check(try decode(Array(ips.utf8), as: .sniffed, keepsText: true), atLeast: 8)
    let text = """
      Incident Identifier: \(name("i", lineEnds: false))
      Hardware Model: \(name("m", lineEnds: false))
      Process: \(name("p", lineEnds: false)) [1]
      Identifier: \(name("id", lineEnds: false))
      Version: \(name("4", lineEnds: false)) (\(name("5", lineEnds: false)))
      OS Version: \(name("iOS", lineEnds: false))
      Exception Type: \(name("EXC", lineEnds: false))
      Termination Reason: \(name("because", lineEnds: false)) of it

      Application Specific Information:
      uncaught exception '\(name("E", lineEnds: false))'

      Thread 0 Crashed:
      0 \(name("Bin", lineEnds: false)) 0x10 \(name("f", lineEnds: false)) + 3 (\(name("a", lineEnds: false)):12)

      Binary Images:
      0x20 - 0x30 \(name("img", lineEnds: false)) arm64 <00> /a/\(name("img", lineEnds: false))
      """
    check(try decode(Array(text.utf8), as: .sniffed, keepsText: true), atLeast: 9)
  }
}
