import Foundation
import Testing
import TestSupport

@Suite("plumb mcp with the reference client")
struct MCPCommandTests {
  @Test(
    "plumb mcp returns the API's answers, from a folder and a server, in every revision, within a token's apps",
    .enabled(if: RealClients.mcp != nil, Comment(rawValue: RealClients.missing)))
  func client() throws {
    let stage = try Stage()
    try stage.fillWithDemo(users: 20)
    _ = try stage.addApp("com.example.other")
    let token = try stage.addToken()
    let narrow = try stage.run("token", "add", "narrow", "--app", "com.example.other").output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let upload = try stage.run("token", "add", "upload", "--uploads").output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let server = try stage.serve()
    let address = "http://127.0.0.1:\(server.port)"
    let client = server.connect()
    func api(_ path: String) throws -> JSON {
      try JSON(try #require(client.get("/api/v1/" + path, [("Authorization", "Bearer \(token)")])).text)
    }
    let own = "apps/\(Payload.app)"
    let crash = try #require(try api(own + "/groups?kind=crash")["groups"][0]["id"].text)
    let calls: [(String, [String: Any])] = [
      ("list_apps", [:]), ("get_release_verdict", ["app": Payload.app]), ("get_report", ["app": Payload.app]),
      ("compare_releases", ["app": Payload.app, "base": "4.2.1", "head": "4.3.0"]),
      ("list_groups", ["app": Payload.app, "kind": "crash", "limit": 3]),
      ("get_group", ["app": Payload.app, "group": crash]), ("list_incidents", ["app": Payload.app]),
      ("get_metric", ["app": Payload.app, "metric": "launch.first_draw"]),
    ]

    for (mode, version, arguments) in [
      ("legacy", "2025-11-25", ["--data", stage.data]), ("auto", "2026-07-28", ["--server", address]),
    ] {
      let (seen, apps, judgement, report, comparison, groups, alerts) = try stage.inOneStep {
        (
          try ask(stage, mode, calls, arguments, token), try api("apps"), try api(own + "/judgement"),
          try api(own + "/report"), try api(own + "/compare?base=4.2.1&head=4.3.0"),
          try api(own + "/groups?kind=crash"), try api(own + "/alerts")
        )
      }
      #expect(seen["version"].text == version && seen["server"].text == "plumb" && seen["tools"].list.count == 9)
      #expect(
        seen["answers"].list.allSatisfy { $0["isError"].integer == 0 }, "\(seen["answers"].list.map { $0["text"] })")
      let answers = try seen["answers"].list.map { try JSON($0["text"].text ?? "") }
      #expect(answers[0]["apps"].list.count == apps["apps"].list.count)
      #expect(answers[0]["apps"][0]["crash_free"]["value"].number == apps["apps"][0]["crash_free"]["value"].number)
      let verdicts = answers[1]["judgement"]["budgets"].list.map { $0["result"] }
      let expected = judgement["judgement"]["budgets"].list.map { $0["result"] }
      #expect(verdicts.map { $0["verdict"].text } == expected.map { $0["verdict"].text } && expected.count > 5)
      #expect(verdicts.map { $0["value"].number } == expected.map { $0["value"].number })
      #expect(answers[1]["judgement"]["advice"].text == judgement["judgement"]["advice"].text)
      let launch = report.metric("launch.first_draw")["p90"]["value"].number
      #expect(launch != nil && answers[2].metric("launch.first_draw")["p90"]["value"].number == launch)
      #expect(answers[3]["outcome"].text == comparison["outcome"].text && answers[3]["outcome"].text != nil)
      #expect(answers[4]["groups"].list.map { $0["id"].text } == groups["groups"].list.prefix(3).map { $0["id"].text })
      #expect(answers[5]["threads"].list.count == 1 && !answers[5]["threads"][0]["frames"].list.isEmpty)
      // Whether one is open depends on the hour at which the demo ends.
      #expect(answers[6]["open"].list.map { $0["id"].text } == alerts["open"].list.map { $0["id"].text })
      #expect(answers[6].keys.contains("open") && alerts.keys.contains("open"))
      #expect(answers[7]["metric"]["p90"]["value"].number == launch)
    }

    let question: [(String, [String: Any])] = [
      ("list_apps", [:]), ("get_report", ["app": Payload.app]), ("list_incidents", ["app": Payload.app]),
    ]
    let bounded = try ask(stage, "auto", question, ["--server", address], narrow)["answers"]
    #expect(try JSON(bounded[0]["text"].text ?? "")["apps"].list.map { $0["app"].text } == ["com.example.other"])
    #expect(bounded[1]["isError"].integer == 1 && bounded[2]["isError"].integer == 1)
    let refused = try ask(stage, "auto", [("list_apps", [:])], ["--server", address], upload)["answers"]
    #expect(refused[0]["isError"].integer == 1 && refused[0]["text"].text?.contains("401") == true)
    _ = server.stop()
    let gone = try ask(stage, "auto", [("list_apps", [:])], ["--server", address], token)["answers"]
    #expect(gone[0]["isError"].integer == 1 && gone[0]["text"].text?.contains(address) == true)
  }

  private func ask(
    _ stage: Stage, _ mode: String, _ calls: [(String, [String: Any])], _ arguments: [String], _ token: String
  ) throws -> JSON {
    let asked = try JSONSerialization.data(withJSONObject: calls.map { [$0.0, $0.1] as [Any] })
    let python = try #require(RealClients.mcp)
    let ended = try stage.run(
      program: python,
      [RealClients.script("mcp_client.py"), mode, String(decoding: asked, as: UTF8.self), Program.plumb, "mcp"]
        + arguments,
      environment: ["PLUMB_TOKEN": token])
    try #require(ended.succeeded, "\(ended.errors.suffix(3000))")
    return try JSON(ended.output)
  }

  @Test("plumb mcp answers line by line, ends with its input, and prints at the start what it cannot do")
  func lines() throws {
    let stage = try Stage()
    let empty = try stage.run("mcp")
    #expect(empty.ending == .exit(3) && empty.output.isEmpty && empty.errors.contains("no data folder"))
    _ = try stage.addApp()
    let input =
      #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n"
      + String(repeating: "x", count: 1_100_000) + "\n"
      + #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_report","arguments":{"app":"none"}}}"#
    let told = try stage.run("mcp", input: input)
    let answers = try told.output.split(separator: "\n").map { try JSON(String($0)) }
    #expect(told.succeeded && answers.count == 3, "\(told.output.prefix(1000))\(told.errors)")
    #expect(answers[0]["id"].integer == 1 && answers[1]["error"]["code"].integer == -32600)
    #expect(answers[2]["result"]["isError"].integer == 1)
    #expect(try stage.run("mcp", "--server", "https://plumb.example").ending == .exit(64))
    #expect(try stage.run("mcp", "--server", "plumb.example", "--token", "x").ending == .exit(64))
  }
}
