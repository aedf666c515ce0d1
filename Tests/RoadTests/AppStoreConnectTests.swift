import Foundation
import Testing
import TestSupport

@Suite("App Store Connect's numbers next to Plumb's")
struct AppStoreConnectTests {
  private static func document(_ values: [(version: String, p90: Double)]) -> String {
    let points = values.map { #"{"version": "\#($0.version)", "value": \#($0.p90), "errorMargin": 12.5}"# }
    return #"""
      {"productData": [{"platform": "iOS", "metricCategories": [
        {"identifier": "LAUNCH", "metrics": [{"identifier": "launchTime", "unit": {"displayName": "ms"},
          "datasets": [{"filterCriteria": {"percentile": "percentile.ninety", "device": "all_iphones",
            "deviceMarketingName": "All <iPhones>"}, "points": [\#(points.joined(separator: ","))]}]}]},
        {"identifier": "HANG", "metrics": [{"identifier": "hangRate", "unit": {"displayName": "seconds/hour"},
          "datasets": [{"filterCriteria": {"percentile": "percentile.fifty", "device": "all_iphones",
            "deviceMarketingName": "All iPhones"}, "points": [{"version": "4.2.0", "value": 3.25}]}]}]},
        {"identifier": "BATTERY", "metrics": [{"identifier": "batteryUsage", "unit": {"displayName": "%"},
          "datasets": [{"filterCriteria": {"percentile": "percentile.fifty", "device": "all_iphones"},
            "points": [{"version": "4.2.0", "value": 4.5}]}]}]}]}]}
      """#
  }

  private static let launches =
    "\"measurements\":["
    + (0..<100).map { "{\"metric\":\"launch.first_draw\",\"value\":\($0 < 60 ? 400 : 900),\"unit\":\"ms\"}" }
    .joined(separator: ",") + "]"

  /// What Plumb says of the launches.
  private func launches(_ stage: Stage) throws -> [Double?] {
    let launch = try stage.report().metric("launch.first_draw")
    return [launch["n"].number] + ["p50", "p90"].flatMap { [launch[$0]["value"].number, launch[$0]["low"].number] }
  }

  @Test("App Store Connect's numbers are separate lines on pages and in the API, and change no other number")
  func road() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    try stage.write(Payload.native(Self.launches), to: "phone.json")
    #expect(try stage.run("import", "phone.json", "--app", Payload.app).succeeded)
    let before = try launches(stage)
    #expect(before[0] == 100)
    try stage.write(Self.document([("4.1.0", 1_500), ("4.2.0", 1_900)]), to: "apple.json")
    let taken = try stage.run("import", "apple.json", "--app", Payload.app)
    #expect(taken.succeeded && taken.errors.contains("apple.json: 4 values from App Store Connect"), "\(taken)")
    #expect(try launches(stage) == before)

    let token = try stage.addToken()
    let server = try stage.serve()
    let client = server.connect()
    let own = [("Authorization", "Bearer \(token)")]
    let base = "/api/v1/apps/\(Payload.app)/metrics"
    func ask(_ path: String) throws -> JSON { try JSON(try #require(client.get(base + path, own)).text) }
    let metric = try ask("/launch.first_draw")
    #expect(metric["app_store_connect"].list.count == 2 && metric["metric"]["n"].integer == 100)
    #expect(metric["app_store_connect"][1]["value"].number == 1_900)
    #expect(metric["app_store_connect"][1]["error_margin"].number == 12.5)
    #expect(try ask("")["app_store_connect"].list.count == 4, "also what only Apple measures")

    func page(_ metric: String) throws -> String {
      try #require(client.get("/apps/\(Payload.app)/metrics\(metric)", own)).text
    }
    let launch = try page("/launch.first_draw")
    for part in ["App Store Connect", "Apple p90", "All &lt;iPhones&gt;", "1,900", "±", "Compared with Plumb"] {
      #expect(launch.contains(part), "\(part)")
    }
    // Plumb has no hangs of this app, Apple has.
    let hangs = try page("/hang.rate")
    #expect(hangs.contains("3.25") && hangs.contains("App Store Connect"))
    let list = try page("")
    #expect(list.contains("batteryUsage") && list.contains("hangRate"))

    // A newer document replaces numbers while the server runs, whose page in memory is then outdated.
    try stage.write(Self.document([("4.2.0", 2_100), ("4.3.0", 1_700)]), to: "newer.json")
    #expect(try stage.run("import", "newer.json", "--app", Payload.app).succeeded)
    #expect(try eventually { try page("/launch.first_draw").contains("2,100") })
    let newer = try ask("/launch.first_draw")["app_store_connect"].list
    #expect(newer.map { $0["version"].text } == ["4.1.0", "4.2.0", "4.3.0"])
    #expect(newer.map { $0["value"].number } == [1_500, 2_100, 1_700])
    #expect(try !page("/launch.first_draw").contains("1,900"))
    #expect(try launches(stage) == before)
    #expect(Payload.post(Self.document([("1", 1)]), to: server, key: key) == 400)
    #expect(server.stop() == .exit(0))

    let exported = try stage.run("render", "--out", "site")
    #expect(exported.succeeded, "\(exported)")
    let files = try stage.run(program: "/bin/grep", ["-rlE", "Apple p90|hangRate|3.25", "site"]).output
    #expect(files.split(separator: "\n").count >= 3, "\(files)")
  }

  @Test("unreadable numbers of App Store Connect are named with the key path, and none of them is stored")
  func refused() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    try stage.write(#"{"productData": [{"platform": "iOS", "metricCategories": 4}]}"#, to: "apple.json")
    let taken = try stage.run("import", "apple.json", "--app", Payload.app)
    #expect(taken.ending == .exit(1) && taken.errors.contains("productData[0].metricCategories"), "\(taken)")
  }
}
