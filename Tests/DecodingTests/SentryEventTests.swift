import Foundation
import Testing

@testable import Core
@testable import Ingest

/// A crash as the Cocoa client writes it, with everything personal that one can hold.
let sentryCrash = #"""
  {"event_id":"fc6d8c0c43fc4630ad850ee518f1b9d0","timestamp":1795251600.5,"platform":"cocoa","level":"fatal",
   "release":"com.example.shop@4.2.0+1234","dist":"1234","environment":"production",
   "user":{"id":"someone","email":"anna@example.com"},"message":{"formatted":"secret message"},
   "extra":{"k":"secret extra"},"tags":{"k":"secret tag"},"request":{"url":"https://secret.example"},
   "breadcrumbs":[{"message":"secret crumb"}],"transaction":"secret screen",
   "contexts":{"device":{"model":"iPhone15,2","model_id":"D73AP","name":"secret phone","family":"iOS"},
     "os":{"name":"iOS","version":"17.4.1","build":"21E236"},"app":{"app_identifier":"com.example.shop"},
     "own":{"k":"secret context"}},
   "debug_meta":{"images":[
     {"type":"macho","debug_id":"8f1c9a7e-0b5d-3c2a-9e4f-112233445566","code_file":"/private/Shop.app/Shop",
      "image_addr":"0x104a00000","image_size":65536},
     {"type":"macho","debug_id":"00000000-0000-3000-8000-000000000001","code_file":"/usr/lib/UIKit",
      "image_addr":"0x1a0000000","image_size":4096}]},
   "exception":{"values":[{"type":"NSInvalidArgumentException","value":"secret value","thread_id":3,
     "mechanism":{"type":"mach","handled":false,"description":"secret description","meta":{
       "mach_exception":{"exception":1,"code":2,"subcode":0,"name":"EXC_BAD_ACCESS"},
       "signal":{"number":11,"name":"SIGSEGV"}}},
     "stacktrace":{"frames":[
       {"package":"/usr/lib/UIKit","image_addr":"0x1a0000000","instruction_addr":"0x1a0000010","function":"<redacted>"},
       {"package":"/private/Shop.app/Shop","image_addr":"0x104a00000","instruction_addr":"0x104a01234",
        "function":"Cart.checkout()","filename":"Cart.swift","lineno":42,"context_line":"secret line"}]}}]},
   "threads":{"values":[
     {"id":3,"crashed":true,"stacktrace":{"frames":[{"instruction_addr":"0x104a01234"}]}},
     {"id":4,"crashed":false,"stacktrace":{"frames":[{"instruction_addr":"0x104a00020"},{"function":"wait"}]}}]}}
  """#

@Suite("A Sentry event")
struct SentryEventTests {
  private func diagnostic(_ event: String, keepsText: Bool = false) throws -> Diagnostic? {
    let line = event.replacing("\n", with: " ")
    return try decode(envelope: envelope(("event", line)), keepsText: keepsText).reports.first?.diagnostics.first
  }

  @Test("a Sentry client states which binaries are the app's, by frame, by path or by the app's name")
  func origins() throws {
    let event = """
      {"event_id":"fc6d8c0c43fc4630ad850ee518f1b9d0","timestamp":1795251600.5,"platform":"cocoa","level":"fatal",
      "release":"com.example.shop@4.2.0+1234","contexts":{"app":{"app_name":"Network"}},
      "exception":{"values":[{"type":"E","mechanism":{"type":"mach","handled":false},"stacktrace":{"frames":[
      {"package":"/usr/lib/libfoo.dylib","in_app":true},{"package":"Charts","in_app":false},
      {"package":"/private/var/X/Shop.app/Frameworks/Contacts.framework/Contacts","in_app":false},
      {"package":"Charts","in_app":true},{"package":"Network"},{"package":"Photos"}]}}]}}
      """
    let calls = try #require(try diagnostic(event)?.calls)
    #expect(
      calls.binaries.map { "\($0.name) \($0.origin)" } == [
        "libfoo.dylib system", "Charts app", "Contacts app", "Network app", "Photos unknown",
      ])
  }

  @Test("a Sentry crash event is read completely, from an envelope or the store endpoint")
  func crash() throws {
    let store = try decode(Array(sentryCrash.utf8), as: .sentryStore)
    let decoded = try decode(envelope: envelope(("event", sentryCrash.replacing("\n", with: " "))))
    #expect(store == decoded && decoded.eventID == "fc6d8c0c43fc4630ad850ee518f1b9d0" && decoded.rejection == nil)
    let report = try #require(decoded.reports.first)
    #expect(report.bundleID == "com.example.shop" && report.release == Release(version: "4.2.0", build: "1234"))
    let system = OperatingSystem(name: "iOS", version: "17.4.1", build: "21E236")
    #expect(report.device == Device(model: "iPhone15,2", system: system))
    let crash = try #require(report.diagnostics.first)
    #expect(crash.kind == .crash && crash.time == .instant(Timestamp(milliseconds: 1_795_251_600_500)))
    #expect(crash.user == "someone" && crash.session == nil)
    #expect(crash.exception == ExceptionDetails(type: 1, code: 2, signal: 11, name: "NSInvalidArgumentException"))
    #expect(
      crash.calls.binaries == [
        .init(name: "UIKit", uuid: "00000000000030008000000000000001", origin: .system),
        .init(name: "Shop", uuid: "8F1C9A7E0B5D3C2A9E4F112233445566", origin: .app),
      ])
    #expect(crash.calls.threads == [.init(range: 0..<2, isAttributed: true), .init(range: 2..<4, isAttributed: false)])
    #expect(crash.calls.frames.map(\.caller) == [-1, 0, -1, 2])
    #expect(crash.calls.frames.map(\.offset) == [0x10, 0x1234, 0x20, nil])
    #expect(crash.calls.frames.map(\.binary) == [0, 1, 1, -1])
    #expect(crash.calls.frames[1].symbol == .init(function: "Cart.checkout()", file: "Cart.swift", line: 42))
    #expect(crash.calls.frames[0].symbol == nil)
  }

  @Test("an address belongs to an image from its first byte to its last, and then to the next image")
  func imageEdges() throws {
    let images = [("A", 0x1000, 0x100), ("B", 0x2000, 0)].map {
      #"{"type":"macho","code_file":"/\#($0.0)","image_addr":"\#($0.1)","image_size":\#($0.2)}"#
    }
    let addresses = [0xFFF, 0x1000, 0x10FF, 0x1100, 0x1FFF, 0x2000, 0x9000]
    let frames = addresses.map { #"{"instruction_addr":"\#($0)"}"# }
    let event = """
      {"level":"fatal","debug_meta":{"images":[\(images.joined(separator: ","))]},"exception":{"values":[{"type":"E",
      "stacktrace":{"frames":[\(frames.joined(separator: ","))]}}]}}
      """
    let calls = try #require(try diagnostic(event)?.calls)
    // One of unknown size has no last byte.
    #expect(
      calls.frames.map { $0.binary < 0 ? "-" : calls.binaries[$0.binary].name } == ["-", "A", "A", "-", "-", "B", "B"])
  }

  @Test("a Sentry event keeps no free text unless the app does")
  func freeText() throws {
    let bare = try #require(try diagnostic(sentryCrash))
    let text = try bare.body.json
    #expect(!text.contains("secret") && !text.contains("anna") && !text.contains("someone"), "\(text)")
    #expect(bare.exception.reason == nil)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(bare.body.text(limit: .max))) as? [String: Any])
    #expect(object["platform"] as? String == "cocoa" && object["debug_meta"] != nil && object["threads"] != nil)
    let whole = try #require(try diagnostic(sentryCrash, keepsText: true))
    let kept = try whole.body.json
    #expect(
      kept.contains("secret value") && kept.contains("secret message") && whole.exception.reason == "secret value")
    for part in ["anna", "secret extra", "secret tag", "secret crumb", "secret phone", "secret line", "secret.example"]
    {
      #expect(!kept.contains(part), "\(part)")
    }
  }

  @Test(
    "a Sentry event's kind follows from its level and mechanism",
    arguments: [
      ("\"level\":\"fatal\"", .crash), ("\"level\":\"error\"", .error), ("\"x\":1", .error),
      ("\"level\":\"info\",\"message\":\"hi\"", nil), ("\"level\":\"warning\"", nil),
      ("\"level\":\"warning\",\"exception\":[{\"type\":\"E\"}]", .error),
      ("\"exception\":{\"values\":[{\"mechanism\":{\"handled\":false}},{\"type\":\"E\"}]}", .crash),
      ("\"exception\":{\"values\":[{\"mechanism\":{\"type\":\"mx_hang_diagnostic\",\"handled\":false}}]}", .hang),
      ("\"exception\":{\"values\":[{\"mechanism\":{\"type\":\"mx_cpu_exception\"}}]}", .cpuException),
      ("\"exception\":{\"values\":[{\"mechanism\":{\"type\":\"mx_disk_write_exception\"}}]}", .diskWriteException),
      ("\"exception\":{\"values\":[{\"mechanism\":{\"type\":\"MXCrashDiagnostic\"}}]}", .crash),
      ("\"exception\":{\"values\":[{\"mechanism\":{\"type\":\"AppHang\"}}]}", .hang),
    ] as [(String, DiagnosticKind?)])
  func kinds(members: String, kind: DiagnosticKind?) throws {
    #expect(try diagnostic("{\(members)}")?.kind == kind)
  }

  @Test(
    "a Sentry event of MetricKit has its duration or amount",
    arguments: [
      ("mx_hang_diagnostic", "MXHangDiagnostic hangDuration:6.5 sec", 6500.0),
      ("mx_cpu_exception", "MXCPUException totalCPUTime:2200 ms totalSampledTime:5 sec", 2.2),
      ("mx_disk_write_exception", "MXDiskWriteException totalWritesCaused:5 MB", 5e6), ("mx_hang_diagnostic", "?", nil),
      ("AppHang", "App hanging between 12.1 and 12.9 seconds.", 12_100),
      ("AppHang", "App hanging for at least 2000 ms.", nil), ("AppHang", "between 1e400 and x seconds", nil),
    ] as [(String, String, Double?)])
  func quantities(mechanism: String, value: String, quantity: Double?) throws {
    let event = "{\"exception\":[{\"value\":\"\(value)\",\"mechanism\":{\"type\":\"\(mechanism)\"}}]}"
    let found = try diagnostic(event)?.quantity
    #expect(found.map { ($0 * 1000).rounded() } == quantity.map { ($0 * 1000).rounded() })
  }

  @Test("a Sentry event states whether the app was in the background")
  func background() throws {
    func isInBackground(_ app: String) throws -> Bool? {
      try diagnostic("{\"level\":\"fatal\",\"contexts\":{\"app\":\(app)}}")?.isInBackground
    }
    #expect(try isInBackground("{\"in_foreground\":false}") == true)
    #expect(try isInBackground("{\"in_foreground\":true}") == false)
    #expect(try isInBackground("{\"in_foreground\":\"no\"}") == false)
    #expect(try isInBackground("{}") == false)
  }

  @Test("Sentry frames that name their callers form a tree, in any order")
  func trees() throws {
    func frames(_ callers: [Int]) throws -> [CallTree.Frame] {
      let list = callers.enumerated().map {
        "{\"function\":\"f\($0)\",\"parent_frame_index\":\($1),\"sample_count\":\($0 + 1)}"
      }
      let event = "{\"exception\":[{\"stacktrace\":{\"frames\":[\(list.joined(separator: ","))]}}]}"
      return try #require(try diagnostic(event)).calls.frames
    }
    let sampled = try frames([-1, 0, 1, 0])
    #expect(sampled.map(\.caller) == [-1, 0, 1, 0] && sampled.map(\.samples) == [1, 2, 3, 4])
    let backwards = try frames([1, 2, -1])
    #expect(backwards.map(\.symbol?.function) == ["f2", "f1", "f0"] && backwards.map(\.caller) == [-1, 0, 1])
    #expect(try frames([1, 0, -1]).map(\.symbol?.function) == ["f2"], "a circle hangs from nothing")
    #expect(try frames([0, 99, -7]).map(\.caller) == [-1, -1, -1])
  }

  @Test("a Sentry event is the same when it is sent again, and another if its content differs")
  func identities() throws {
    #expect(try diagnostic(sentryCrash)?.identity == diagnostic(sentryCrash)?.identity)
    let other = sentryCrash.replacing("fc6d8c0c", with: "0c6d8c0c")
    #expect(try diagnostic(other)?.identity != diagnostic(sentryCrash)?.identity)
    let first = try diagnostic("{\"message\":\"a\",\"level\":\"error\"}")?.identity
    #expect(try diagnostic("{\"level\":\"error\",\"message\":\"a\"}")?.identity == first)
    #expect(try diagnostic("{\"level\":\"error\",\"message\":\"b\"}")?.identity != first)
    let dashed = "{\"event_id\":\"FC6D8C0C-43FC-4630-AD85-0EE518F1B9D0\"}"
    #expect(try diagnostic(dashed)?.identity == diagnostic(sentryCrash)?.identity)
  }

  @Test("a Sentry event belongs to the one session that is sent with it")
  func sessions() throws {
    let event = ("event", "{\"level\":\"fatal\"}")
    let item = sessionItem("\"sid\":\"\(sentrySID)\",\"status\":\"crashed\"")
    for text in [envelope(event, item), envelope(item, event)] {
      let found = try decode(envelope: text).reports.flatMap(\.diagnostics)
      #expect(found.map(\.session) == ["7c7b6585f9014351bf8d02711b721929"])
    }
    let two = try decode(envelope: envelope(item, event, sessionItem("\"sid\":\"b\"")))
    #expect(two.reports.flatMap(\.diagnostics).map(\.session) == [nil])
    // Both are é, in one scalar and in two: one id, spelled as it was first.
    let spelled = try decode(
      envelope: envelope(sessionItem(#""sid":"\u00e9""#), event, sessionItem(#""sid":"e\u0301""#)))
    #expect(spelled.reports.flatMap(\.diagnostics).map { $0.session.map { Array($0.utf8) } } == [[0xC3, 0xA9]])
  }
}
