import Foundation
import Testing
import TestSupport

@Suite("The API's description")
struct APIDescriptionTests {
  @Test("the API's description can be read without a login, and is the only part that can")
  func open() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let client = try stage.serve().connect()
    let answer = try #require(client.get("/openapi.json"))
    #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
    #expect(try JSON(answer.text)["openapi"].text == "3.1.0")
    #expect(!answer.text.contains("127.0.0.1"))
    #expect(client.get("/api/v1/apps")?.status == 401)
  }

  @Test(
    "the API's description matches the server, as schemathesis checks",
    .enabled(if: RealClients.schemathesis != nil, Comment(rawValue: RealClients.missing)), arguments: [true, false])
  func schemathesis(isFilled: Bool) throws {
    let stage = try Stage()
    if isFilled { try stage.fillWithDemo(users: 20) }
    let own = "Authorization: Bearer \(try stage.addToken())"
    let server = try stage.serve()
    let description = try #require(server.connect().get("/openapi.json"))
    try stage.write(description.text, to: "openapi.json")
    let program = try #require(RealClients.schemathesis)
    let arguments = [
      "-m", "schemathesis.cli", "run", "openapi.json", "--url", "http://127.0.0.1:\(server.port)", "--header", own,
      "--max-examples", "15",
      "--no-color",
    ]
    let ended = try stage.run(program: program, arguments, limit: 800)
    #expect(ended.succeeded, "\(ended.output.suffix(6000))\(ended.errors.suffix(2000))")
    #expect(server.stop() == .exit(0))
  }
}
