import Foundation
import Glibc
import Testing

@testable import Web

@Suite("The server of the Model Context Protocol")
struct MCPServerTests {
  private typealias Members = [String: Any]

  /// What was asked of the API.
  private final class Questions {
    var asked: [String] = []
  }

  private let questions = Questions()

  private func server(_ answer: @escaping (String) -> MCPServer.Answer = { _ in .found(Array("{}".utf8)) }) -> MCPServer
  {
    MCPServer(version: "1.2.3") { [questions] path, parameters in
      let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
      questions.asked.append(path.joined(separator: "/") + (query.isEmpty ? "" : "?" + query))
      return answer(path.joined(separator: "/"))
    }
  }

  private func reply(_ line: String, _ server: MCPServer? = nil) throws -> Members? {
    guard let bytes = (server ?? self.server()).reply(to: .text(Array(line.utf8))) else { return nil }
    #expect(!bytes.contains(0x0A), "a line end would be another message")
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? Members)
  }

  private func result(_ method: String, _ parameters: String = "{}", _ server: MCPServer? = nil) throws -> Members {
    let reply = try reply(#"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":\#(parameters)}"#, server)
    #expect(reply?["id"] as? Int == 7 && reply?["jsonrpc"] as? String == "2.0" && reply?["error"] == nil)
    return try #require(reply?["result"] as? Members, "\(reply ?? [:])")
  }

  private func error(_ line: String) throws -> (code: Int?, id: Any?) {
    let reply = try reply(line)
    let error = reply?["error"] as? Members
    #expect((error?["message"] as? String)?.isEmpty == false)
    return (error?["code"] as? Int, reply?["id"])
  }

  private func called(_ tool: String, _ arguments: String, _ server: MCPServer? = nil) throws -> (
    text: String, isError: Bool
  ) {
    let result = try result("tools/call", #"{"name":"\#(tool)","arguments":\#(arguments)}"#, server)
    let content = try #require((result["content"] as? [Members])?.first)
    #expect(content["type"] as? String == "text")
    return (try #require(content["text"] as? String), try #require(result["isError"] as? Bool))
  }

  @Test("the MCP server accepts the client's revision, or else offers its newest in a handshake")
  func versions() throws {
    for (asked, given) in [
      ("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
      ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("", "2025-11-25"),
    ] {
      let result = try result("initialize", #"{"protocolVersion":"\#(asked)","capabilities":{}}"#)
      #expect(result["protocolVersion"] as? String == given)
      #expect((result["capabilities"] as? Members)?["tools"] != nil)
      #expect((result["serverInfo"] as? Members)?["version"] as? String == "1.2.3")
      #expect((result["instructions"] as? String)?.contains("not_enough_data") == true)
    }
    #expect(try error(#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#).code == -32602)
  }

  @Test("the MCP server serves clients that name the revision in each request, and lists the ones it supports")
  func stateless() throws {
    func meta(_ version: String) -> String { #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)"}}"# }
    let found = try result("server/discover", meta("2026-07-28"))
    #expect((found["supportedVersions"] as? [String])?.contains("2026-07-28") == true)
    #expect(found["resultType"] as? String == "complete" && found["ttlMs"] != nil && found["cacheScope"] != nil)
    #expect(try result("tools/list", meta("2026-07-28"))["ttlMs"] != nil)
    #expect(try result("tools/list")["ttlMs"] == nil)
    let line = #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":\#(meta("2031-01-01"))}"#
    let refused = try reply(line)?["error"] as? Members
    #expect(refused?["code"] as? Int == -32022)
    #expect((refused?["data"] as? Members)?["requested"] as? String == "2031-01-01")
    #expect(((refused?["data"] as? Members)?["supported"] as? [String])?.count == 5)
  }

  @Test(
    "the MCP server answers invalid lines with JSON-RPC's codes and the id, if there is one",
    arguments: [
      ("{", -32700), ("nonsense", -32700), ("[]", -32600), (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
      (#"{"id":1,"method":"ping"}"#, -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_app"}}"#, -32602),
      (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602),
      (String(repeating: "[", count: 100) + String(repeating: "]", count: 100), -32700),
    ])
  func errors(line: String, code: Int) throws {
    let error = try error(line)
    #expect(error.code == code, "\(line)")
    let hasID = line.contains(#""id":1,"#) || line.contains(#""id":1}"#)
    #expect(hasID && !line.hasPrefix("[") ? error.id as? Int == 1 : error.id is NSNull, "\(line)")
  }

  @Test("the MCP server sends no answer to a notification, an answer or a blank line")
  func silent() throws {
    for line in [
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","method":"no/such"}"#,
      #"{"jsonrpc":"2.0","id":4,"result":{}}"#, #"{"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"x"}}"#, "",
      " \r",
    ] {
      #expect(try reply(line) == nil, "\(line)")
    }
    #expect(try reply(#"{"jsonrpc":"2.0","id":"a\"b","method":"ping"}"#)?["id"] as? String == "a\"b")
  }

  @Test("the MCP server queries the API with a tool's arguments and nothing else")
  func questionsToTheAPI() throws {
    #expect(try !called("list_apps", "{}").isError)
    #expect(try !called("get_report", #"{"app":"a b","release":"4.2.0 (1)","os":""}"#).isError)
    #expect(try !called("compare_releases", #"{"app":"a","base":"1","head":"2"}"#).isError)
    #expect(try !called("list_groups", #"{"app":"a","kind":"crash"}"#).isError)
    #expect(try !called("list_groups", #"{"app":"a","limit":3,"to":null}"#).isError)
    #expect(try !called("list_incidents", "{}").isError)
    #expect(try !called("list_incidents", #"{"app":"a"}"#).isError)
    #expect(
      questions.asked == [
        "apps", "apps/a b/report?release=4.2.0 (1)", "apps/a/compare?base=1&head=2",
        "apps/a/groups?kind=crash&limit=20", "apps/a/groups?limit=3", "alerts", "apps/a/alerts",
      ])
    questions.asked = []
    for (tool, arguments, word) in [
      ("get_report", "{}", "app is missing"), ("get_report", #"{"app":""}"#, "app is missing"),
      ("get_report", #"{"app":5}"#, "app must be a"), ("get_report", #"{"app":"a","relase":"1"}"#, "unknown argument"),
      ("list_groups", #"{"app":"a","limit":"3"}"#, "limit must be an integer"), ("get_report", "[]", "an object"),
      ("get_group", #"{"app":"a","group":".."}"#, ".."),
      ("get_report", #"{"app":"\#(String(repeating: "x", count: 1_001))"}"#, "at most"),
    ] {
      let answer = try called(tool, arguments)
      #expect(answer.isError && answer.text.contains(word), "\(answer.text)")
    }
    #expect(questions.asked.isEmpty)
  }

  @Test("the MCP server passes on why the API does not answer, so that the model can read it")
  func refusals() throws {
    struct Broken: Error, CustomStringConvertible { let description = "the disk is gone" }
    #expect(try called("list_apps", "{}", server { _ in .refused("from: not a day") }) == ("from: not a day", true))
    let missing = try called("get_report", #"{"app":"x"}"#, server { _ in .missing })
    #expect(missing.isError && missing.text.contains("apps/x/report"))
    let broken = MCPServer(version: "1") { _, _ in throw Broken() }
    #expect(try called("list_apps", "{}", broken) == ("the disk is gone", true))
    #expect(try called("list_apps", "{}", server { _ in .found(Array("{".utf8)) }).isError)
  }

  @Test(
    "the MCP server sends an excerpt without nulls, with shortened lists and their missing number, and limited texts")
  func excerpts() throws {
    let many = (0..<60).map { #"{"id":\#($0),"note":null,"title":"\#(String(repeating: "t", count: 2_000))"}"# }
    let json = #"{"schema":1,"groups":[\#(many.joined(separator: ","))],"total":60.5,"newest":null}"#
    let answer = try called("list_groups", #"{"app":"a"}"#, server { _ in .found(Array(json.utf8)) })
    let shown = try #require(try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? Members)
    let groups = try #require(shown["groups"] as? [Members])
    #expect(groups.count == 50 && shown["groups_left_out"] as? Int == 10 && shown["total"] as? Double == 60.5)
    #expect(shown.keys.contains("newest") == false && groups[0].keys.sorted() == ["id", "title"])
    #expect((groups[0]["title"] as? String)?.count == 1_001)
    let wide =
      "{" + (0..<300).map { #""m\#($0)":"\#(String(repeating: "t", count: 900))""# }.joined(separator: ",") + "}"
    let refused = try called("list_apps", "{}", server { _ in .found(Array(wide.utf8)) })
    #expect(refused.isError && refused.text.contains("Narrow it down"))
  }

  @Test("the explanation of a group is the API's document, whole, and an answer without one is an error")
  func document() throws {
    let text = "# Crash\n\n" + String(repeating: "line\n", count: 4_000)
    let json = try JSONSerialization.data(withJSONObject: ["schema": 1, "markdown": text] as Members)
    let arguments = #"{"app":"a","group":"0123456789abcdef","tokens":7000}"#
    #expect(try called("explain_group", arguments, server { _ in .found(Array(json)) }) == (text, false))
    #expect(questions.asked == ["apps/a/groups/0123456789abcdef/explain?tokens=7000"])
    #expect(try called("explain_group", arguments, server { _ in .found(Array("{}".utf8)) }).isError)
  }

  @Test("an MCP tool describes its arguments as JSON Schema, and that it only reads")
  func definitions() throws {
    let tools = try #require(try result("tools/list")["tools"] as? [Members])
    #expect(
      Set(tools.compactMap { $0["name"] as? String })
        == [
          "list_apps", "get_report", "get_release_verdict", "get_metric", "compare_releases", "list_groups",
          "get_group", "explain_group", "list_incidents",
        ])
    for tool in tools {
      let schema = try #require(tool["inputSchema"] as? Members)
      let properties = try #require(schema["properties"] as? [String: Members])
      #expect(schema["type"] as? String == "object" && schema["additionalProperties"] as? Bool == false)
      #expect(properties.values.allSatisfy { $0["description"] != nil && $0["type"] != nil })
      #expect(Set(schema["required"] as? [String] ?? ["none"]).isSubset(of: properties.keys))
      #expect((tool["annotations"] as? Members)?["readOnlyHint"] as? Bool == true)
      #expect((tool["description"] as? String)?.isEmpty == false)
    }
  }

  @Test("the MCP server reads lines of limited length, and continues after a longer one")
  func lines() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let text = "one\n" + String(repeating: "x", count: 200_000) + "\n\n" + String(repeating: "y", count: 100) + "\nlast"
    let bytes = Array(text.utf8)
    let writer = ends[1]
    let thread = Thread {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(writer, $0.baseAddress, min(777, $0.count)) }
        guard count > 0 else { break }
        rest = rest.dropFirst(count)
      }
      close(writer)
    }
    thread.start()
    var reader = LineReader(descriptor: ends[0], limit: 100)
    var found: [LineReader.Line] = []
    while let line = reader.next() { found.append(line) }
    close(ends[0])
    #expect(
      found == [
        .text(Array("one".utf8)), .tooLong, .text([]), .text(Array(repeating: UInt8(ascii: "y"), count: 100)),
        .text(Array("last".utf8)),
      ])
    let reply = try #require(server().reply(to: .tooLong))
    #expect(String(decoding: reply, as: UTF8.self).contains("-32600"))
  }
}
