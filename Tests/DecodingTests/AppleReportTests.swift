import Foundation
import Testing
import TestSupport

@testable import Core
@testable import Ingest

@Suite("Apple's crash reports")
struct AppleReportTests {
  static func text(_ name: String) throws -> String { try Checkout.text("Tests/Conformance/Fixtures/apple/\(name)") }

  private static func report(_ name: String, keepsText: Bool = false) throws -> (Report, Diagnostic) {
    let report = try #require(try decode(text(name), keepsText: keepsText).first)
    return (report, try #require(report.diagnostics.first))
  }

  static func decode(_ text: String, keepsText: Bool = false) throws -> [Report] {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBytes { body in
      let context = DecodingContext(
        received: try #require(Timestamp(iso: "2026-11-20T12:00:00Z")), keepsExceptionText: keepsText)
      let format = PayloadFormat(detectedIn: body)
      #expect(format == .sniffed)
      return try PayloadDecoder().decode(body, as: format, context).reports
    }
  }

  /// The frames of the thread that the report is about, outermost first.
  private static func stack(_ calls: CallTree) -> [String] {
    calls.threads.filter(\.isAttributed).flatMap { calls.frames[$0.range] }.map { frame in
      let binary = frame.binary >= 0 ? calls.binaries[frame.binary].name : "?"
      return "\(binary)+\(frame.offset.map(String.init) ?? "?") \(frame.symbol?.function ?? "")"
    }
  }

  @Test("consecutive text crash reports all count, each as if it were alone")
  func severalTexts() throws {
    let first = try Self.text("watchdog.crash")
    let second = first.replacingOccurrences(of: "Incident Identifier:", with: "Incident Identifier: F")
      .replacingOccurrences(of: "Version:", with: "Version:  9.9 ")
    let together = try Self.decode(first + "\n\n" + second + "\r\n" + first)
    let alone = try [first, second, first].flatMap { try Self.decode($0) }
    #expect(together.count == 3)
    #expect(together.map(\.release) == alone.map(\.release))
    #expect(together.map { $0.diagnostics.map(\.identity) } == alone.map { $0.diagnostics.map(\.identity) })
    #expect(together.map { $0.diagnostics.map(\.calls) } == alone.map { $0.diagnostics.map(\.calls) })
    // One that cannot be read is named by its line, and nothing is taken in silence.
    #expect(throws: DecodingFailure.self) { try Self.decode(first + "\nProcess: Shop [1]\nThread 0 Crashed:\n") }
  }

  @Test("a crash report may follow empty lines or be in an email")
  func mailed() throws {
    let text = try Self.text("watchdog.crash")
    let alone = try #require(try Self.decode(text).first)
    let mail = "From: somebody@example.com\r\nDate: Mon, 16 Nov 2026\r\nSubject: It crashed\r\n\r\nHello,\r\n\r\n"
    for prefix in ["\n\n\n", " \r\n", mail, "\u{FEFF}", "Translated Report (Full Report Below)\n\n"] {
      let report = try #require(try Self.decode(prefix + text).first)
      #expect(report.release == alone.release && report.device == alone.device, "\(prefix)")
      #expect(report.diagnostics.map(\.calls) == alone.diagnostics.map(\.calls))
      #expect(report.diagnostics.map(\.identity) == alone.diagnostics.map(\.identity))
    }
    for text in ["Hello,\nit crashed again.\n", "2026-11-20 10:00 Shop[12] error\n"] {
      #expect { try Self.decode(text) } throws: { "\($0)".contains("Incident Identifier") }
    }
    // JSON stays JSON, whatever its texts hold.
    #expect { try Self.decode("{\"a\":\"\nProcess: Shop [1]\"}") } throws: { !"\($0)".contains("call stacks") }
  }

  @Test("a crash report states which binaries are the app's and which the system's")
  func origins() throws {
    let (_, crash) = try Self.report("crash.ips")
    let shop = try #require(crash.calls.binaries.first { $0.name == "Shop" })
    #expect(shop.origin == .app)
    #expect(crash.calls.binaries.contains { $0.origin == .system })
    let (_, text) = try Self.report("watchdog.crash")
    #expect(text.calls.binaries.first { $0.name == "Shop" }?.origin == .app)
    // A framework that an app brings along, called like one of Apple's, and an executable without a path.
    let ips = """
      {"app_name":"Network","bug_type":"309","app_version":"1","build_version":"1","os_version":"iPhone OS 18.1 (22B83)"}
      {"procName":"Network","captureTime":"2026-11-20 10:00:00.0000 +0000","exception":{"type":"EXC_BAD_ACCESS","signal":"SIGSEGV"},
      "usedImages":[{"name":"Charts","path":"/private/var/containers/Bundle/Application/X/Network.app/Frameworks/Charts.framework/Charts","uuid":"11111111-1111-3111-8111-111111111111","base":4096,"size":4096},
      {"name":"Network","uuid":"21111111-1111-3111-8111-111111111111","base":65536,"size":4096},
      {"name":"Contacts","path":"/System/Library/Frameworks/Contacts.framework/Contacts","uuid":"31111111-1111-3111-8111-111111111111","base":165536,"size":4096},
      {"name":"Photos","path":"/Library/Developer/CoreSimulator/Volumes/iOS_22B83/Library/Developer/CoreSimulator/Profiles/Runtimes/iOS 18.1.simruntime/Contents/Resources/RuntimeRoot/System/Library/Frameworks/Photos.framework/Photos","base":265536,"size":4096}],
      "threads":[{"triggered":true,"frames":[{"imageIndex":0,"imageOffset":16},{"imageIndex":1,"imageOffset":16},{"imageIndex":2,"imageOffset":16},{"imageIndex":3,"imageOffset":16}]}]}
      """
    let images = try #require(try Self.decode(ips).first?.diagnostics.first?.calls.binaries)
    #expect(images.map(\.origin) == [.app, .app, .system, .system])
  }

  @Test("a crash report of iOS 26 has its cause, place, time and build")
  func crash() throws {
    let (report, crash) = try Self.report("crash.ips")
    #expect(report.source == .appleReport && report.environment == "production")
    #expect(report.bundleID == "com.example.shop" && report.release == Release(version: "4.2.0", build: "1234"))
    #expect(report.device.model == "iPhone15,2")
    #expect(report.device.system == OperatingSystem(name: "iOS", version: "26.1", build: "23B85"))
    let time = try #require(Timestamp(iso: "2026-11-20T09:15:07.482Z"))
    #expect(crash.kind == .crash && crash.time == .instant(time))
    #expect(
      crash.exception
        == ExceptionDetails(
          type: 1, code: 1, signal: 11, name: "EXC_BAD_ACCESS", termination: "Namespace SIGNAL, Code 0xb"))
    #expect(crash.user == "9A8B7C6D-1234-4321-ABCD-0123456789AB" && report.assumedTimes == 0)
    #expect(Self.stack(crash.calls) == ["dyld+3268 start", "Shop+16800 Basket.total(reducedBy:)", "Shop+16404 "])
    #expect(crash.calls.threads.map(\.isAttributed) == [true, false, false])
    #expect(crash.calls.binaries.first == .init(name: "Shop", uuid: "4C4C445C55553144A1FAE3FB6B3BE1DB", origin: .app))
    #expect(
      crash.calls.binaries.contains(
        .init(name: "libsystem_kernel.dylib", uuid: "B1B2C3D4000033338888" + "0123456789AB", origin: .system)))
    let named = try #require(crash.calls.frames.first { $0.symbol?.file == "Basket.swift" })
    #expect(named.symbol?.line == 21 && named.address == 4_339_007_488 + 16_800)
    // Code in no image.
    #expect(crash.calls.frames.last?.binary == -1)
  }

  @Test("a language exception in a crash report has its own backtrace and name")
  func exception() throws {
    let (report, crash) = try Self.report("exception.ips", keepsText: true)
    #expect(report.environment == "testflight")
    #expect(crash.exception.name == "NSRangeException" && crash.exception.reason == "index 7 beyond bounds")
    #expect(crash.exception.type == 10 && crash.exception.signal == 6)
    #expect(Self.stack(crash.calls) == ["Shop+16400 ", "Shop+17000 ", "CoreFoundation+100 __exceptionPreprocess"])
    #expect(crash.calls.threads.map(\.isAttributed) == [true, false])
  }

  @Test("a text report of iOS 14 from a watchdog has names with spaces and its build first")
  func watchdog() throws {
    let (report, crash) = try Self.report("watchdog.crash")
    #expect(report.release == Release(version: "4.1.0", build: "1100") && report.environment == "testflight")
    #expect(report.device == Device(model: "iPhone12,1", system: OperatingSystem(parsing: "iOS 14.8.1 (18H107)")))
    let time = try #require(Timestamp(iso: "2026-11-20T04:59:58.721Z"))
    #expect(crash.time == .instant(time))
    #expect(
      crash.exception
        == ExceptionDetails(
          type: 10, code: 0, signal: 9, name: "EXC_CRASH", termination: "Namespace SPRINGBOARD, Code 0x8badf00d"))
    #expect(
      Self.stack(crash.calls) == [
        "?+? 0", "Shop+16784 Basket.total(reducedBy:)", "Shop+16404 ", "Shop Widgets+16488 ",
        "libsystem_kernel.dylib+5372 mach_msg_trap",
      ])
    #expect(
      crash.calls.frames.contains {
        $0.symbol == .init(function: "Basket.total(reducedBy:)", file: "Basket.swift", line: 21)
      })
    #expect(crash.calls.binaries.contains(.init(name: "Shop", uuid: "4C4C445C55553144A1FAE3FB6B3BE1DB", origin: .app)))
    #expect(
      crash.calls.binaries.contains(.init(name: "Shop Widgets", uuid: "5C4C445C55553144A1FAE3FB6B3BE1DB", origin: .app))
    )
    #expect(crash.calls.threads.count == 2)
  }

  @Test(
    "a termination by the system is stored in one form, whatever the report's form",
    arguments: [
      ("Namespace SPRINGBOARD, Code 0x8badf00d", "Namespace SPRINGBOARD, Code 0x8badf00d"),
      ("FRONTBOARD 2343432205", "Namespace FRONTBOARD, Code 0x8badf00d"), ("FRONTBOARD", "FRONTBOARD"),
    ])
  func termination(written: String, kept: String) throws {
    let text = try Self.text("watchdog.crash").replacing("Namespace SPRINGBOARD, Code 0x8badf00d", with: written)
    #expect(try Self.decode(text).first?.diagnostics.first?.exception.termination == kept)
  }

  @Test("a text report of a Mac has the exception's backtrace, and binaries named by their file")
  func mac() throws {
    let (report, crash) = try Self.report("mac.crash")
    #expect(report.device.system == OperatingSystem(name: "macOS", version: "11.7.10", build: "20G1427"))
    #expect(report.release == Release(version: "4.2.0", build: "1234"))
    #expect(crash.exception.name == "NSInvalidArgumentException" && crash.exception.reason == nil)
    #expect(Self.stack(crash.calls) == ["CoreFoundation+? __exceptionPreprocess"])
    #expect(crash.calls.binaries.contains(.init(name: "Shop", uuid: "4C4C445C55553144A1FAE3FB6B3BE1DB", origin: .app)))
    #expect(crash.calls.threads.count == 3)
  }

  @Test("the same incident is the same crash in every copy of its report")
  func identity() throws {
    let (_, first) = try Self.report("crash.ips")
    let text = try Self.text("crash.ips")
    let again = try #require(try Self.decode(text.replacing("41000", with: "41001")).first?.diagnostics.first)
    let other = try #require(
      try Self.decode(text.replacing("958473625140", with: "958473625141")).first?.diagnostics.first)
    #expect(again.identity == first.identity && other.identity != first.identity)
    let asText =
      "Incident Identifier: 5e1d2c3b-4a59-4f68-8776-958473625140\nThread 0 Crashed:\n0  Shop  0x0000000000001000 0x0 + 4096\n"
    #expect(try Self.decode(asText).first?.diagnostics.first?.identity == first.identity)
  }

  @Test(
    "persons, devices and paths are not stored, and free text only if the app keeps it",
    arguments: ["crash.ips", "watchdog.crash", "mac.crash"])
  func privacy(name: String) throws {
    let (_, crash) = try Self.report(name)
    let body = try crash.body.json
    for secret in ["anna", "0123456789abcdef0123", "9A8B7C6D", "/private/", "/Users/", "1A2B3C4D"] {
      #expect(!body.contains(secret), "\(secret)")
    }
    let (_, open) = try Self.report(name, keepsText: true)
    #expect(try open.body.json.contains("anna"))
    let text = try crash.body.text(limit: .max)
    _ = try JSONSerialization.jsonObject(with: Data(text))
    // Packed: names that repeat are stored once.
    #expect(crash.body.textSize == text.count && crash.body.bytes.count < text.count)
  }

  @Test("the stored JSON of a text report is packed up to 1 MB, and complete above it", arguments: [2_000, 30_000])
  func largeText(frames: Int) throws {
    let lines = (0..<frames).map { "\($0)  Shop  0x\(String(0x1_0000 + 16 * $0, radix: 16)) 0x10000 + \(16 * $0)\n" }
    let text = "Incident Identifier: F1\nProcess: Shop [1]\nThread 0 Crashed:\n" + lines.joined()
    let body = try #require(try Self.decode(text).first?.diagnostics.first?.body)
    let stored = try body.text(limit: .max)
    #expect((body.bytes == stored) == (stored.count > 1 << 20) && (stored.count > 1 << 20) == (frames == 30_000))
    let json = try #require(try JSONSerialization.jsonObject(with: Data(stored)) as? [String: Any])
    let threads = try #require(json["threads"] as? [[String: Any]])
    let offsets = threads.flatMap { $0["frames"] as? [[String: Any]] ?? [] }.compactMap { $0["offset"] as? Int }
    #expect(offsets == (0..<frames).map { 16 * $0 })
  }

  @Test("one body may have several reports, or one whose parts are in one document")
  func several() throws {
    let (one, two) = (try Self.text("crash.ips"), try Self.text("exception.ips"))
    #expect(try Self.decode(one + two).flatMap(\.diagnostics).count == 2)
    let body = try #require(two.split(separator: "\n").last)
    #expect(try Self.decode(String(body)).first?.diagnostics.first?.exception.name == "NSRangeException")
    let marked = "\u{FEFF}" + (try Self.text("watchdog.crash"))
    #expect(try Self.decode(marked).count == 1)
  }

  @Test("an error in one of Apple's crash reports gives its position")
  func refusals() throws {
    let text = try Self.text("crash.ips")
    func failure(_ text: String) -> DecodingFailure? {
      #expect(throws: DecodingFailure.self) { try Self.decode(text) }
    }
    let header = String(try #require(text.split(separator: "\n").first))
    #expect(failure(header)?.detail.contains("the second one, with the call stacks, is missing") == true)
    #expect(
      failure(text.replacing("\"bug_type\":\"309\"", with: "\"bug_type\":\"298\""))?.detail.contains("Jetsam") == true)
    #expect(
      failure(text.replacing("\"imageIndex\":3", with: "\"imageIndex\":9"))?.path
        == "[1].threads[2].frames[0].imageIndex")
    #expect(failure(text.replacing("10:15:07.4821 +0100", with: "soon"))?.path == "[1].captureTime")
    #expect(failure(text.replacing("\"threads\" :", with: "\"strings\" :"))?.path == "[1].threads")
    let crash = try Self.text("watchdog.crash")
    #expect(failure(crash.replacing("2026-11-19 23:59:58.7210 -0500", with: "soon"))?.path == "line 16")
    #expect(failure("Incident Identifier: 7\nVersion: 1\n")?.detail.contains("no call stacks") == true)
  }
}
