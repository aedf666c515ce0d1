import Foundation
import Testing
import TestSupport

@Suite("A small disk")
struct SmallDiskTests {
  @Test(
    "a small disk is reported, then payloads are refused while reading and deleting work, until there is space",
    .enabled(if: SmallDisk.isPermitted, "mounting a tmpfs needs root"))
  func small() throws {
    let stage = try Stage()
    let disk = try #require(SmallDisk(stage.data, megabytes: 100))
    let key = try stage.addApp()
    let token = ("Authorization", "Bearer \(try stage.addToken())")
    let floor = ["PLUMB_FREE_SPACE": "24MiB"]
    let server = try stage.serve(environment: floor)
    let client = server.connect()
    #expect(client.get("/readyz")?.status == 200)
    func send(_ number: Int) -> HTTPClient.Answer? {
      client.send(
        "POST", "/v1/payloads", [("X-Plumb-Key", key), ("Idempotency-Key", "\(number)")],
        body: Payload.native(Payload.measurements("screen.load", (1...1000).map { $0 * (number + 1) })))
    }
    let accepted = 5
    for number in 0..<accepted { #expect(send(number)?.status == 202) }
    // Something else fills the disk.
    try disk.leave(megabytes: 40)
    #expect(eventually { client.get("/readyz")?.text.contains("Disk space is low") == true })
    #expect(
      client.get("/readyz")?.status == 200 && client.get("/metrics", [token])?.text.contains("plumb_disk") == true)
    try disk.leave(megabytes: 20)
    #expect(eventually { client.get("/readyz")?.status == 503 })
    try disk.leave(megabytes: 8)
    #expect(eventually { client.get("/readyz")?.text.contains("Disk space has run out") == true })
    let refused = send(accepted)
    #expect(refused?.status == 503 && refused?.header("Retry-After") == "300")
    #expect(client.get("/healthz")?.status == 200)
    #expect(client.get("/api/v1/apps", [token])?.status == 200)
    #expect(
      try stage.report { $0.metric("screen.load")["n"].integer == accepted * 1000 }
        .metric("screen.load")["n"].integer == accepted * 1000, "what was acknowledged is counted")
    let incident = try stage.run("check", environment: floor)
    #expect(incident.output.contains("of the disk is free"), "\(incident.output)\(incident.errors)")
    // Deleting works, and with retention and pruning it makes room.
    let deleted = try stage.run("delete", "app", Payload.app, "--yes", environment: floor)
    #expect(deleted.succeeded, "\(deleted.errors)")
    try disk.leave(megabytes: 60)
    #expect(eventually { client.get("/readyz")?.status == 200 }, "\(client.get("/readyz")?.text ?? "no answer")")
    #expect(server.stop() == .exit(0))
    let pruned = try stage.run("prune", environment: floor)
    #expect(pruned.succeeded && pruned.output.contains("freed"), "\(pruned.errors)")
    withExtendedLifetime(disk) {}
  }

  @Test(
    "at the minimum, symbols and diagnostic bodies are evicted first; on a full disk logins, reading and deletion work",
    .enabled(if: SmallDisk.isPermitted, "mounting a tmpfs needs root"))
  func order() throws {
    let stage = try Stage()
    let disk = try #require(SmallDisk(stage.data, megabytes: 100))
    let key = try stage.addApp()
    let reads = ("Authorization", "Bearer \(try stage.addToken())")
    func token(_ arguments: String...) throws -> (String, String) {
      let added = try stage.run(program: Program.plumb, ["token", "add"] + arguments)
      return ("Authorization", "Bearer " + added.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }
    let deletes = try token("privacy", "--scope", "delete")
    let uploads = try token("ci", "--uploads")
    #expect(try stage.run("user", "add", "ana", input: "a good long password\n").succeeded)
    let server = try stage.serve(environment: ["PLUMB_FREE_SPACE": "24MiB"])
    let client = server.connect()
    func send(_ members: String, user: String = "kept") -> HTTPClient.Answer? {
      let body = Payload.native(members).replacingOccurrences(of: "\"someone\"", with: "\"\(user)\"")
      return client.send("POST", "/v1/payloads", [("X-Plumb-Key", key)], body: body)
    }
    func crash(_ function: String) -> String {
      """
      "crashes":[{"exception":"EXC_BAD_ACCESS","threads":[{"crashed":true,\
      "frames":[{"binary":"Shop","offset":4096,"function":"\(function)"}]}]}]
      """
    }
    func upload() -> HTTPClient.Answer? {
      server.connect().send("PUT", "/api/v1/symbols?name=Till", [uploads], body: "no symbols")
    }
    func logIn() -> HTTPClient.Answer? {
      let form = ("Content-Type", "application/x-www-form-urlencoded")
      let here = [("Host", "127.0.0.1:\(server.port)"), ("Origin", "http://127.0.0.1:\(server.port)"), form]
      return client.send("POST", "/login", here, body: "user=ana&password=a+good+long+password")
    }
    func bodies() throws -> Int? { try SQLFile.number("SELECT count(*) FROM sample", in: stage.data + "/samples.db") }
    func crashes(_ count: Double) throws -> Bool {
      try stage.report { $0.metric("crash.count")["sum"].number == count }.metric("crash.count")["sum"].number == count
    }
    #expect(send(Payload.sessions(["a", "b"]), user: "gone")?.status == 202)
    #expect(send(Payload.sessions(["c"]))?.status == 202 && send(crash("Cart.checkout()"))?.status == 202)
    #expect(try crashes(1) && bodies() == 1)
    #expect(upload()?.status == 400, "taken, and found to be no symbols")

    // Below the floor.
    try disk.leave(megabytes: 18)
    #expect(eventually { client.get("/readyz")?.text.contains("Disk space is short") == true })
    let refused = upload()
    #expect(refused?.status == 503 && refused?.header("Retry-After") == "3600")
    #expect(send(crash("Cart.pay()"))?.status == 202)
    #expect(try crashes(2) && bodies() == 1, "counted, and its body is not kept")
    #expect(logIn()?.status == 303)

    // Full.
    try disk.fill()
    #expect(eventually { server.child.errors.contains("is released for logins and deletions") })
    #expect(send(Payload.sessions(["d"]))?.status == 503 && upload()?.status == 503)
    let entered = logIn()
    #expect(entered?.status == 303, "\(entered?.text ?? "")")
    let cookie = ("Cookie", try #require(entered?.header("Set-Cookie")).components(separatedBy: "; ")[0])
    let page = client.get("/apps/\(Payload.app)", [cookie, ("Accept", "text/html")])
    #expect(page?.text.contains("Disk space has run out") == true)
    #expect(client.get("/api/v1/apps/\(Payload.app)/report", [reads])?.status == 200)
    let asked = client.send("POST", "/api/v1/apps/\(Payload.app)/deletions?user=gone", [deletes])
    #expect(asked?.status == 202, "\(asked?.text ?? "")")
    #expect(
      try stage.report { $0["sessions"]["total"].integer == 1 }["sessions"]["total"].integer == 1, "two are deleted")
    let deleted = try stage.run("delete", "app", Payload.app, "--yes", environment: ["PLUMB_FREE_SPACE": "24MiB"])
    #expect(deleted.succeeded, "\(deleted.errors)")
    #expect(server.stop() == .exit(0))
    withExtendedLifetime(disk) {}
  }
}
