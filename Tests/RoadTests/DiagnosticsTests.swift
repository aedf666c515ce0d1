import Foundation
import Testing
import TestSupport

@Suite("Diagnostics")
struct DiagnosticsTests {
  private static let payload = """
    {"timeStampBegin": "2026-11-18 08:16:00", "timeStampEnd": "2026-11-18 08:16:00", "crashDiagnostics": [
      {"version": "1.0.0", "callStackTree": {"callStackPerThread": true, "callStacks": [{"threadAttributed": true,
        "callStackRootFrames": [{"binaryName": "Shop", "address": 4294968576, "offsetIntoBinaryTextSegment": 1280}]}]},
      "diagnosticMetaData": {"appVersion": "4.2.0", "appBuildVersion": "1234", "deviceType": "iPhone15,2",
        "osVersion": "iPhone OS 18.6.2 (22G100)", "exceptionType": 1, "exceptionCode": 18446744073709551615,
        "signal": 11, "objectiveCexceptionReason": {"composedMessage": "Ann's secret", "className": "NSArray"}}}]}
    """

  @Test("a crash is stored completely except its free text, counted once, and returned after a restart")
  func kept() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve("--open")
    #expect(Payload.post(Self.payload, to: server, key: key) == 202)
    // The same again, its members in another order.
    let again = Self.payload.replacingOccurrences(of: #""version": "1.0.0", "#, with: "")
      .replacingOccurrences(of: #""signal": 11, "#, with: #""signal": 11, "appVersion": "4.2.0", "#)
      .replacingOccurrences(of: #"{"appVersion": "4.2.0", "#, with: "{")
      .replacingOccurrences(of: #"{"callStackTree""#, with: #"{"version": "1.0.0", "callStackTree""#)
    #expect(Payload.post(again, to: server, key: key) == 202)
    #expect(server.stop() == .exit(0))

    let client = try stage.serve("--open").connect()
    let local = [("Host", "localhost")]
    let list = try JSON(try #require(client.get("/api/v1/apps/\(Payload.app)/diagnostics", local)).text)
    #expect(list["diagnostics"].list.count == 1)
    let crash = list["diagnostics"][0]
    #expect(crash["kind"].text == "crash" && crash["release"].text == "4.2.0" && crash["os"].text == "iOS 18.6.2")
    #expect(crash["exception"]["code"].text == "0xffffffffffffffff")
    let number = try #require(crash["id"].integer)
    let body = try #require(client.get("/api/v1/apps/\(Payload.app)/diagnostics/\(number)", local))
    #expect(body.text.contains("18446744073709551615") && body.text.contains("NSArray"))
    #expect(!body.text.contains("secret"))
    #expect(try stage.report().metric("crash.count")["sum"].number == 1)
    let quality = try JSON(try #require(client.get("/api/v1/apps/\(Payload.app)/data-quality", local)).text)
    #expect(quality["accepted"].integer == 2 && quality["repeated_diagnostics"][0]["count"].integer == 1)
    #expect(client.get("/api/v1/apps/\(Payload.app)/diagnostics?kind=nothing", local)?.status == 400)
    #expect(client.get("/api/v1/apps/\(Payload.app)/diagnostics/999", local)?.status == 404)
  }

  @Test("a diagnostic that is counted but not stored has no link, and its URL explains that")
  func notKept() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let limits = ["PLUMB_SAMPLES_NEWEST": "1", "PLUMB_SAMPLES_TYPICAL": "0"]
    let server = try stage.serve("--open", environment: limits)
    for device in 1...4 {
      let other = Self.payload.replacingOccurrences(of: "iPhone15,2", with: "iPhone15,\(device)")
      #expect(Payload.post(other, to: server, key: key) == 202)
    }
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 4 }
    let client = server.connect()
    let local = [("Host", "localhost")]
    let page = try #require(client.get("/apps/\(Payload.app)/diagnostics", local)).text
    let links = page.matches(of: /href="(\/api\/v1\/apps\/[^"]*\/diagnostics\/[0-9]+)"/).map { String($0.output.1) }
    // The newest and the oldest are kept.
    #expect(links.count == 2 && page.components(separatedBy: "counted, no full sample").count == 3, "\(page)")
    for link in links { #expect(client.get(link, local)?.status == 200) }
    let gone = try #require(client.get("/api/v1/apps/\(Payload.app)/diagnostics/2", local))
    #expect(gone.status == 404 && gone.text.contains("it has no full sample"), "\(gone.text)")
  }

  @Test("free text of exceptions is stored if the app's settings allow it")
  func textKept() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    #expect(try stage.run("app", "settings", Payload.app, "--exception-text", "keep").succeeded)
    let server = try stage.serve("--open")
    #expect(Payload.post(Self.payload, to: server, key: key) == 202)
    _ = try stage.report { $0.metric("crash.count")["sum"].number == 1 }
    let body = server.connect().get("/api/v1/apps/\(Payload.app)/diagnostics/1", [("Host", "localhost")])
    #expect(body?.text.contains("Ann's secret") == true)
  }
}
