import Foundation
import Testing
import TestSupport

@Suite("A budget file with an error")
struct BudgetFaultTests {
  private static let local = [("Host", "localhost")]
  private static let other = "com.example.other"

  private func stage() throws -> Stage {
    let stage = try Stage()
    _ = try stage.addApp()
    _ = try stage.addApp(Self.other)
    try stage.write(Payload.native(Payload.sessions((0..<50).map { "s\($0)" })), to: "sessions.json")
    for app in [Payload.app, Self.other] {
      try #require(try stage.run("import", "sessions.json", "--app", app).succeeded)
    }
    return stage
  }

  @Test(
    "a budget file's error leaves the first page and other apps unchanged, and the app shows numbers and position",
    arguments: [
      ("app: com.example.shop\nbudgets:\n  - p90 screen.load <= 1 sx\n", "com.example.shop.yaml:3:26: "),
      ("app: com.example.other\nbudgets:\n  - sessions.crash_free >= 10%\n", "`app: com.example.other` does not match"),
      ("", "com.example.shop.yaml"),
    ])
  func pages(file: String, error: String) throws {
    let stage = try stage()
    try stage.write(file, to: "data/budgets/com.example.shop.yaml")
    let server = try stage.serve("--open")
    let client = server.connect()
    func get(_ target: String) throws -> HTTPClient.Answer { try #require(client.get(target, Self.local)) }
    let first = try get("/")
    #expect(first.status == 200 && first.text.contains("Not judged") && first.text.contains(Self.other))
    let apps = try JSON(try get("/api/v1/apps").text)["apps"].list
    #expect(apps.count == 2 && apps.count { $0["budget_error"].isNull } == 1)
    #expect(
      apps.contains { $0["budget_error"].text?.contains(error) == true && $0["sessions"].integer == 50 }, "\(apps)")
    for page in ["", "/sessions", "/budgets", "/setup", "/data-quality", "/metrics/sessions.crash_free", "/groups"] {
      let shown = try get("/apps/\(Payload.app)\(page)")
      #expect(shown.status == 200 && shown.text.contains(error), "\(page) \(shown.status)")
      #expect(try !get("/apps/\(Self.other)\(page)").text.contains(error))
    }
    let report = try get("/api/v1/apps/\(Payload.app)/report")
    #expect(report.status == 409 && report.text.contains(error), "\(report.text)")
    #expect(try get("/api/v1/apps/\(Payload.app)/data-quality").status == 200)
    #expect(try get("/api/v1/apps/\(Self.other)/report").status == 200)
    let rendered = try stage.run("render", "--out", "site")
    #expect(rendered.succeeded && rendered.errors.contains(error), "\(rendered)")
    // Mended, everything is judged again at once.
    try stage.write("budgets:\n  - sessions.crash_free >= 10%\n", to: "data/budgets/com.example.shop.yaml")
    #expect(try get("/api/v1/apps/\(Payload.app)/report").status == 200)
    #expect(server.stop() == .exit(0))
  }

  @Test("a missing file that a command names is an error of the command and opens no incident")
  func missing() throws {
    let stage = try stage()
    let told = try stage.run("check", "--budgets", "nowhere.yaml")
    #expect(told.ending == .exit(3) && told.errors.contains("nowhere.yaml"), "\(told)")
    #expect(told.output.isEmpty)
    #expect(try stage.run("incidents", "list").output.contains("NOT JUDGED") == false)
  }
}
