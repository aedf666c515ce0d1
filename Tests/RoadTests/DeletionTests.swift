import Foundation
import Testing
import TestSupport

@Suite("Deletion on a running server")
struct DeletionTests {
  private func fill(_ client: HTTPClient, _ key: String, user: String, sessions: Int) {
    for number in 0..<sessions {
      let body = Payload.native(Payload.sessions(["\(user)-\(number)"]))
        .replacingOccurrences(of: "\"installation\":\"someone\"", with: "\"installation\":\"\(user)\"")
      #expect(client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body)?.status == 202)
    }
  }

  @Test("a token with the delete scope deletes over HTTP and does nothing else, and a read token cannot delete")
  func overHTTP() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let reads = ("Authorization", "Bearer \(try stage.addToken())")
    let added = try stage.run("token", "add", "privacy", "--scope", "delete")
    let deletes = ("Authorization", "Bearer " + added.output.trimmingCharacters(in: .whitespacesAndNewlines))
    let server = try stage.serve()
    let client = server.connect()
    fill(client, key, user: "gone", sessions: 3)
    fill(client, key, user: "kept", sessions: 2)
    _ = try stage.report { $0["sessions"]["total"].integer == 5 }
    let path = "/api/v1/apps/\(Payload.app)/deletions?user=gone"
    #expect(client.send("POST", path, [reads])?.status == 401)
    #expect(client.send("POST", path, [])?.status == 401)
    #expect(client.send("GET", "/api/v1/apps", [deletes])?.status == 401)
    #expect(client.send("POST", path + "&release=4.2.0", [deletes])?.status == 400)
    let trial = try #require(client.send("POST", path + "&dry_run=true", [deletes]))
    #expect(trial.status == 200 && trial.text.contains("sessions: 3"), "\(trial.text)")
    let described = try #require(client.get("/openapi.json"))
    func example(_ path: String, _ method: String, _ status: String) throws -> String {
      let answer = try JSON(described.text)["paths"][path][method]["responses"][status]
      return answer["content"]["application/json"]["example"].shape
    }
    let address = "/api/v1/apps/{app}/deletions"
    #expect(try JSON(trial.text).shape == example(address, "post", "200"))
    let asked = try #require(client.send("POST", path, [deletes]))
    #expect(asked.status == 202)
    #expect(try JSON(asked.text).shape == example(address, "post", "202"))
    let location = try #require(asked.header("Location"))
    var answer = try #require(client.send("GET", location, [deletes]))
    #expect(
      try eventually {
        answer = try #require(client.send("GET", location, [deletes]))
        return try JSON(answer.text)["state"].text == "done"
      }, "\(answer.text)")
    #expect(try JSON(answer.text)["statement"].text?.contains("sessions: 3") == true)
    #expect(try JSON(answer.text).shape == example("/api/v1/deletions/{deletion}", "get", "200"))
    #expect(client.send("PUT", location, [])?.header("Allow") == "GET")
    #expect(try stage.report()["sessions"]["total"].integer == 2)
    // A command beside the server has the server do it.
    let done = try stage.run("delete", "user", "kept", "--app", Payload.app, "--yes")
    #expect(done.succeeded && done.output.contains("sessions: 2"), "\(done.errors)")
    #expect(done.errors.contains("server"))
    #expect(try stage.report()["sessions"]["total"].integer == 0)
    #expect(server.stop() == .exit(0))
  }

  @Test("a server that is killed during a deletion finishes it after the restart, and counts nothing twice")
  func killed() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let added = try stage.run("token", "add", "privacy", "--scope", "delete")
    let deletes = ("Authorization", "Bearer " + added.output.trimmingCharacters(in: .whitespacesAndNewlines))
    for round in 0..<4 {
      let server = try stage.serve()
      let client = server.connect()
      fill(client, key, user: "gone\(round)", sessions: 40)
      fill(client, key, user: "kept\(round)", sessions: 1)
      let path = "/api/v1/apps/\(Payload.app)/deletions?user=gone\(round)"
      #expect(client.send("POST", path, [deletes])?.status == 202)
      // At another moment in each round: before it begins, while the digest is awaited, and within it.
      usleep(UInt32(round) * 600_000)
      server.kill()
    }
    let server = try stage.serve()
    #expect(
      try stage.report { $0["sessions"]["total"].integer == 4 }["sessions"]["total"].integer == 4)
    #expect(server.stop() == .exit(0))
  }

  @Test("a server with 64 descriptors and silent connections answers, and reports what it lacks")
  func fewDescriptors() throws {
    let stage = try Stage()
    let limited = "ulimit -n 64; exec \"$0\" serve --listen 127.0.0.1:0"
    let server = try ServerProcess(stage.start(["-c", limited, Program.plumb], program: "/bin/sh"))
    let silent = (0..<120).map { _ in server.connect() }
    #expect(server.connect().get("/healthz")?.status == 200)
    #expect(server.child.errors.contains("limit of open files"), "\(server.child.errors)")
    withExtendedLifetime(silent) {}
    #expect(server.stop() == .exit(0))
  }
}
