import Foundation
import Testing
import TestSupport

@Suite("The report")
struct ReportTests {
  @Test("the report has equal bytes from the command and the server, for every query")
  func sameBytes() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let own = [("Authorization", "Bearer \(try stage.addToken())")]
    let server = try stage.serve()
    for (release, device) in [("4.1.0", "iPhone12,1"), ("4.2.0", "iPhone15,2"), ("4.2.0", "iPad13,16")] {
      let body = Payload.native(
        Payload.sessions((0..<40).map { "\(release)-\(device)-\($0)" }),
        Payload.measurements("screen.load", (0..<50).map { 100 + $0 * 7 }, label: "Cärt <View>"),
        Payload.measurements("my.own", [1, 2, 3]), release: release, device: device)
      #expect(Payload.post(body, to: server, key: key) == 202)
    }
    _ = try stage.report { $0["sessions"]["total"].integer == 120 }
    let questions: [[(String, String)]] = [
      [], [("release", "4.2.0")], [("release", "4.2.0 (1234)"), ("device", "iPhone15,2")], [("os", "iOS 17.4.1")],
      [("environment", "testflight")], [("release", "nö \"such\" & \\ one")],
      [("from", "2026-01-01"), ("to", "2026-01-31")],
      [("to", "2026-01-31")], [("device-class", "iPhone 12 and older")],
    ]
    for question in questions {
      let flags = question.flatMap { ["--\($0.0)", $0.1] }
      let told = try stage.run(
        program: Program.plumb, ["report", "--app", Payload.app, "--format", "json"] + flags)
      let query = question.map { name, value in
        let escaped = value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(name == "device-class" ? "device_class" : name)=\(escaped)"
      }.joined(separator: "&")
      let answer = server.connect().get("/api/v1/apps/\(Payload.app)/report?\(query)", own)
      #expect(answer?.status == 200 && answer?.header("Content-Type") == "application/json", "\(question)")
      #expect(answer?.text == told.output, "\(question)")
      let found = try JSON(told.output)
      for (name, value) in question where !["from", "to", "device-class"].contains(name) {
        #expect(found["slice"][name].text == value, "\(question)")
      }
    }
  }

  @Test("the report has null for unknown values before the first payload")
  func empty() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let report = try stage.report()
    let whole: Set = [
      "schema", "app", "window", "slice", "sessions", "users", "metrics", "exits", "budgets", "releases",
    ]
    #expect(report.keys.isSuperset(of: whole))
    #expect(report["sessions"]["total"].integer == 0 && report["sessions"]["crash_free"]["value"].isNull)
    #expect(report["users"]["crash_free"]["value"].isNull)
    let text = try stage.run("report", "--app", Payload.app)
    #expect(text.succeeded && text.output.contains(Payload.app))
  }

  @Test("a report for an unknown app or invalid days is refused")
  func wrongQuestions() throws {
    let stage = try Stage()
    #expect(try stage.run("report", "--app", "nobody").ending == .exit(3), "no folder")
    _ = try stage.addApp()
    let nobody = try stage.run("report", "--app", "nobody")
    #expect(nobody.ending == .exit(1) && nobody.errors.contains("nobody") && nobody.output.isEmpty)
    #expect(try stage.run("report", "--app", Payload.app, "--from", "yesterday").ending == .exit(64))
    #expect(
      try stage.run("report", "--app", Payload.app, "--from", "2026-02-02", "--to", "2026-01-01").ending == .exit(64))
  }
}
