import Foundation
import Testing
import TestSupport

@Suite("plumb alerts")
struct AlertsCommandTests {
  private func write(_ yaml: String, _ stage: Stage) throws -> String {
    let path = stage.folder + "/plumb.yaml"
    try yaml.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("plumb alerts lists channels and unreadable secrets")
  func channels() throws {
    let stage = try Stage()
    let secret = stage.folder + "/key"
    try "topsecret".write(toFile: secret, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: secret)
    let path = try write(
      """
      listen: 127.0.0.1:8080
      alerts:
        channels:
          team: { kind: slack, url: { env: HOOK } }
          ops: { kind: webhook, url: "https://ops.example.com", secret: { file: \(secret) } }
        default: team
      """, stage)
    let told = try stage.run("alerts", "channels", "--config", path, environment: ["HOOK": "https://topsecret.example"])
    #expect(told.ending == .exit(1))
    #expect(
      told.output
        == "ops  webhook\n  the file \(secret) can be read by other users; run `chmod 600 \(secret)`\nteam  slack  default\n"
    )
    #expect(!told.errors.contains("topsecret"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
    #expect(
      try stage.run("alerts", "channels", "--config", path, environment: ["HOOK": "https://topsecret.example"])
        .succeeded)
  }

  @Test("plumb alerts sends a test and prints the receiver's answer")
  func test() throws {
    let stage = try Stage()
    let server = try stage.serve()
    let path = try write(
      """
      alerts:
        channels:
          ops: { kind: webhook, url: "http://127.0.0.1:\(server.port)/v1/payloads", allow-private: true }
          closed: { kind: webhook, url: "https://127.0.0.1:\(server.port)/v1/payloads" }
      """, stage)
    let told = try stage.run("alerts", "test", "--config", path)
    #expect(told.ending == .exit(1))
    #expect(told.output.contains("ops: HTTP 401: "), "\(told.output)")
    #expect(told.output.contains("closed: 127.0.0.1 is a private address; `allow-private: true`"), "\(told.output)")
    let unknown = try stage.run("alerts", "test", "nobody", "--config", path)
    #expect(unknown.ending == .exit(64) && unknown.errors.contains("The channels are closed, ops."))
  }

  @Test("an error in the alerts section stops plumb alerts with file, line and expected form, but not other commands")
  func wrong() throws {
    let stage = try Stage()
    let path = try write("alerts:\n  channels:\n    team: { kind: slack, url: https://topsecret.example }\n", stage)
    let told = try stage.run("alerts", "channels", "--config", path)
    #expect(told.ending == .exit(64) && told.errors.contains("\(path):3:31: url is a secret: expected { env: NAME }"))
    #expect(!told.errors.contains("topsecret"))
    #expect(try stage.run("app", "add", "com.example.shop", "--config", path).succeeded)
  }
}
