import OTLPMessages
import SwiftProtobuf
import Testing

@testable import Core
@testable import Ingest

/// Events and spans of OpenTelemetry's conventions for apps, as the Swift SDK and AWS's distribution of it send them.
@Suite("OTLP events of apps")
struct OTLPAppEventTests {
  private static func record(
    _ name: String, _ attributes: [PBKeyValue] = [], at: UInt64 = OTLP.at
  ) -> PBLogRecord {
    .with {
      $0.eventName = name
      $0.timeUnixNano = at
      $0.attributes = attributes
    }
  }

  private static func number(_ key: String, _ value: Double) -> PBKeyValue {
    .with {
      $0.key = key
      $0.value.doubleValue = value
    }
  }

  private static func decode(_ records: [PBLogRecord], resource: [PBKeyValue] = OTLP.resource) throws -> Decoded {
    let request = PBExportLogsServiceRequest.with { request in
      request.resourceLogs = [
        .with {
          $0.resource.attributes = resource
          $0.scopeLogs = [.with { $0.logRecords = records }]
        }
      ]
    }
    let decoded = try OTLP.decode(request.serializedBytes(), as: .otlpLogs(.protobuf))
    #expect(try OTLP.decode(request.jsonUTF8Bytes(), as: .otlpLogs(.json)) == decoded)
    return decoded
  }

  private static func decode(_ spans: [PBSpan]) throws -> Decoded {
    let request = PBExportTraceServiceRequest.with { request in
      request.resourceSpans = [
        .with {
          $0.resource.attributes = OTLP.resource
          $0.scopeSpans = [.with { $0.spans = spans }]
        }
      ]
    }
    let decoded = try OTLP.decode(request.serializedBytes(), as: .otlpTraces(.protobuf))
    #expect(try OTLP.decode(request.jsonUTF8Bytes(), as: .otlpTraces(.json)) == decoded)
    return decoded
  }

  private static func span(_ name: String, milliseconds: UInt64, _ attributes: [PBKeyValue]) -> PBSpan {
    .with {
      $0.name = name
      $0.startTimeUnixNano = OTLP.at
      $0.endTimeUnixNano = OTLP.at + milliseconds * 1_000_000
      $0.attributes = attributes
    }
  }

  /// A report as KSCrash formats it, with its list of images cut off.
  private static let crashReport = """
    Incident Identifier: 0C6D1A55-8B2E-4D0C-9E4B-1F5E3C2A7B90
    Hardware Model:      iPhone15,2
    Process:         Shop [4711]
    Date/Time:       2026-11-20 21:30:00.000 +0000
    OS Version:      iOS 17.4.1 (21E236)

    Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
    Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000010
    Triggered by Thread:  1

    Thread 0:
    0   libsystem_kernel.dylib        0x00000001d5a3c6b8 0x1d5a3b000 + 5816

    Thread 1 Crashed:
    0   Shop                          0x0000000102a3c4d8 0x102a38000 + 17624
    1   Shop                          0x0000000102a3a010 0x102a38000 + 8208
    """

  @Test("app.crash without a severity is a crash of the release, device and OS version that the event states")
  func crashOfAnotherProcess() throws {
    let attributes = OTLP.attributes([
      "exception.type": "NSRangeException", "exception.message": "index 7", "exception.stacktrace": "frames unknown",
      "session.id": "s-1", "service.version": "4.1.0", "os.name": "iOS", "os.version": "17.3",
      "app.installation.id": "install-9",
    ])
    let decoded = try Self.decode([Self.record("app.crash", attributes), Self.record("session.start")])
    let report = try #require(decoded.reports.first)
    #expect(report.release == Release(version: "4.1.0", build: ""), "the build of the reporter belongs to 4.2.0")
    #expect(report.device.system.title == "iOS 17.3" && report.device.system.build.isEmpty)
    #expect(report.device.model == "iPhone15,2")
    let crash = try #require(report.diagnostics.first)
    #expect(crash.kind == .crash && crash.exception.name == "NSRangeException" && crash.user == "install-9")
    #expect(crash.calls.isEmpty && crash.exception.reason == nil)
    #expect(report.sessions.map(\.outcome) == [.crashed] && report.sessions.map(\.id) == ["s-1"])
  }

  @Test("an event that states the reporter's version and no build keeps the build; a build alone replaces the build")
  func builds() throws {
    let same = OTLP.attributes(["service.version": "4.2.0"])
    let other = OTLP.attributes(["app.build_id": "1200"])
    let releases = try Self.decode([Self.record("app.crash", same), Self.record("app.crash", other)]).reports
      .map(\.release)
    #expect(releases == [Release(version: "4.2.0", build: "1234"), Release(version: "4.2.0", build: "1200")])
  }

  @Test("crashes with one app.crash.id are one crash, whatever else differs")
  func crashID() throws {
    let id = OTLP.attributes(["app.crash.id": "083d3d2d"])
    let found = try Self.decode([
      Self.record("app.crash", id),
      Self.record("app.crash", id + OTLP.attributes(["thread.name": "main"]), at: OTLP.at + 5),
      Self.record("app.crash", OTLP.attributes(["app.crash.id": "other"])), Self.record("app.crash"),
    ]).reports.flatMap(\.diagnostics).map(\.identity)
    #expect(found[0] == found[1] && Set(found).count == 3)
  }

  @Test("a crash report as the stack trace of a crash gives its stacks and its exception")
  func textReport() throws {
    let attributes = OTLP.attributes([
      "exception.type": "crash", "exception.stacktrace": Self.crashReport, "session.id": "s-1",
    ])
    for name in ["app.crash", "device.crash"] {
      let report = try #require(try Self.decode([Self.record(name, attributes)]).reports.first)
      let crash = try #require(report.diagnostics.first)
      #expect(crash.exception.name == "EXC_BAD_ACCESS" && crash.exception.type == 1 && crash.exception.signal == 11)
      #expect(crash.calls.threads.map(\.isAttributed) == [false, true])
      #expect(crash.calls.frames.map(\.offset) == [5816, 8208, 17624], "outermost first")
      #expect(crash.calls.binaries.map(\.name) == ["libsystem_kernel.dylib", "Shop"])
      #expect(crash.calls.binaries[1].origin == .app)
      #expect(crash.time == .instant(Timestamp(milliseconds: Int64(OTLP.at / 1_000_000))), "the event's time")
      #expect(try !crash.body.json.contains("Incident"), "a text may have a user's words")
    }
  }

  @Test("the frames of callStackSymbols are a stack, and stack traces of other languages are none")
  func frameList() throws {
    let symbols = """
      0   CoreFoundation    0x000000018c6f0f48 __exceptionPreprocess + 164
      1   Shop              0x0000000102a3c4d8 $s4Shop4CartV8checkoutyyF + 84
      """
    let attributes = OTLP.attributes(["exception.type": "NSRangeException", "exception.stacktrace": symbols])
    let calls = try #require(try Self.decode([Self.record("exception", attributes)]).reports.first?.diagnostics.first)
    #expect(
      calls.kind == .error
        && calls.calls.frames.map(\.symbol?.function) == [
          "$s4Shop4CartV8checkoutyyF", "__exceptionPreprocess",
        ])
    for text in ["Traceback (most recent call last):", "0 frames", "0", "at com.example.Shop(Shop.kt:7)", ""] {
      let other = OTLP.attributes(["exception.stacktrace": text])
      #expect(try Self.decode([Self.record("app.crash", other)]).reports[0].diagnostics[0].calls.isEmpty, "\(text)")
    }
  }

  @Test("an event named exception that has only a message is an error")
  func message() throws {
    let decoded = try Self.decode([
      Self.record("exception", OTLP.attributes(["exception.message": "m"])),
      Self.record("other", OTLP.attributes(["exception.message": "m"])),
    ])
    #expect(decoded.reports.flatMap(\.diagnostics).map(\.kind) == [.error] && decoded.rejection?.count == 1)
  }

  @Test("app.jank is counted as its frames and its period, by threshold")
  func jank() throws {
    let frames = PBKeyValue.with {
      $0.key = "app.jank.frame_count"
      $0.value.intValue = 9
    }
    let event = Self.record(
      "app.jank", [frames, Self.number("app.jank.threshold", 0.016), Self.number("app.jank.period", 10)])
    let decoded = try Self.decode([event])
    let measurements = try #require(decoded.reports.first?.measurements)
    #expect(measurements.map(\.metric.name) == ["app.jank.frame_count", "app.jank.period"])
    #expect(measurements.map(\.value) == [.counter(9), .counter(10)])
    #expect(measurements.map(\.metric.unit) == [.count, .seconds])
    #expect(measurements.allSatisfy { $0.label == "app.jank.threshold=0.016" })
    let key = try #require(decoded.retryKey)
    #expect(try Self.decode([event]).retryKey == key, "a request that is sent again is recognised")
    #expect(try Self.decode([event, event]).retryKey != key)
    let start = Self.record("session.start", OTLP.attributes(["session.id": "s-1"]))
    #expect(try Self.decode([event, start]).retryKey != key && Self.decode([start]).retryKey == nil)
    #expect(try Self.decode([event, Self.record("app.crash")]).retryKey == nil, "a crash has an identity of its own")
  }

  @Test(
    "jank without a usable number of frames is rejected with the reason",
    arguments: [
      [], [number("app.jank.frame_count", -1)], [number("app.jank.frame_count", .nan)],
      [number("app.jank.frame_count", 1e16)],
      [number("app.jank.frame_count", 1), number("app.jank.period", .infinity)],
    ])
  func badJank(attributes: [PBKeyValue]) throws {
    let decoded = try Self.decode([Self.record("app.jank", attributes)])
    #expect(decoded.reports.isEmpty && decoded.rejection?.count == 1)
    #expect(decoded.rejection?.message.contains("app.jank.") == true)
  }

  @Test("clicks, appearing screens and changes of the app's state are skipped and counted by their names")
  func skipped() throws {
    let names = ["app.screen.click", "app.widget.click", "device.app.lifecycle", "app.screen.view_did_appear"]
    let decoded = try Self.decode(
      names.map { Self.record($0, OTLP.attributes(["session.id": "s-1", "app.widget.name": "Buy"])) })
    #expect(decoded.reports.isEmpty && decoded.rejection == nil)
    #expect(decoded.skipped.mapValues(\.count) == Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
  }

  @Test("the end of a session is an update for a day, and later counts no session")
  func lateEnd() throws {
    let day: UInt64 = 86_400_000_000_000
    let received = UInt64(receiptTime.milliseconds) * 1_000_000
    let attributes = OTLP.attributes(["session.id": "s-1", "session.previous_id": "s-0"])
    let recent = try Self.decode([Self.record("session.end", attributes, at: received - day)])
    #expect(recent.reports.flatMap(\.sessions).map(\.id) == ["s-1"])
    let late = try Self.decode([Self.record("session.end", attributes, at: received - day - 1_000_000)])
    #expect(late.reports.isEmpty && late.rejection == nil)
    #expect(late.skipped["session.end of an older day"]?.count == 1)
  }

  @Test("a span device.hang is a hang of its length, on the main thread")
  func hang() throws {
    let attributes = OTLP.attributes([
      "exception.type": "hang", "exception.stacktrace": Self.crashReport, "session.id": "s-1",
    ])
    let report = try #require(try Self.decode([Self.span("device.hang", milliseconds: 700, attributes)]).reports.first)
    let hang = try #require(report.diagnostics.first)
    #expect(hang.kind == .hang && hang.quantity == 700 && hang.session == "s-1" && report.sessions.isEmpty)
    #expect(hang.calls.threads.map(\.isAttributed) == [true, false])
    #expect(hang.time == .instant(Timestamp(milliseconds: Int64(OTLP.at / 1_000_000))))
  }

  @Test("launches and first appearances of screens are custom metrics; spans without a duration are rejected")
  func durations() throws {
    var backwards = Self.span("AppStart", milliseconds: 0, [])
    backwards.endTimeUnixNano -= 1
    let decoded = try Self.decode([
      Self.span("AppStart", milliseconds: 850, OTLP.attributes(["start.type": "cold"])),
      Self.span("app.screen.time_to_first_appear", milliseconds: 120, OTLP.attributes(["screen.name": "Cart"])),
      backwards, .with { $0.name = "device.hang" },
    ])
    let measurements = decoded.reports.flatMap(\.measurements)
    #expect(measurements.map(\.metric.name) == ["AppStart", "app.screen.time_to_first_appear"])
    #expect(measurements.map(\.value) == [.samples([850]), .samples([120])])
    #expect(measurements.map(\.label) == ["cold", "Cart"])
    #expect(measurements.allSatisfy { $0.metric.unit == .milliseconds })
    #expect(decoded.rejection?.count == 2 && decoded.rejection?.message.contains("endTimeUnixNano") == true)
  }
}
