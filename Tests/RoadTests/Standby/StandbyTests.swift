import Foundation
import Testing
import TestSupport

@Suite("A standby")
struct StandbyTests {
  @Test("a standby shows the reports of its primary, accepts nothing, and names the primary")
  func readOnly() throws {
    let scene = try StandbyScene()
    for index in 0..<20 {
      #expect(scene.send(NodeScene.session("s\(index)"), to: scene.primary, as: "k\(index)")?.status == 202)
    }
    #expect(try eventually { try scene.report(of: scene.primary)["sessions"]["total"].integer == 20 })
    #expect(try eventually { try scene.report(of: scene.standby)["sessions"]["total"].integer == 20 })
    for path in ["apps", "apps/\(Payload.app)/report", "apps/\(Payload.app)/releases"] {
      #expect(scene.get("/api/v1/" + path, of: scene.standby) == scene.get("/api/v1/" + path, of: scene.primary))
    }
    let ready = scene.standby.connect().get("/readyz")
    #expect(ready?.status == 503)
    #expect(ready?.text.contains("Standby of http://127.0.0.1:\(scene.primary.port)") == true)
    #expect(scene.standby.connect().get("/healthz")?.status == 200)
    let refused = scene.send(NodeScene.session("x"), to: scene.standby)
    #expect(refused?.status == 503)
    #expect(refused?.text.contains("primary, http://127.0.0.1:\(scene.primary.port)") == true)
    for (method, path) in [
      ("POST", "/login"), ("PUT", "/api/v1/symbols"), ("POST", "/apps/\(Payload.app)/groups/1"),
      ("POST", "/api/v1/apps/\(Payload.app)/deletions"), ("GET", "/api/v1/nodes/configuration"),
      ("GET", "/api/v1/standby/records?after=0"),
    ] {
      #expect(scene.standby.connect().send(method, path, [], body: "")?.status == 503, "\(method) \(path)")
    }
    // Commands on the folder do not change it either.
    for arguments in [["app", "add", "com.example.other"], ["check"], ["import", "/dev/null", "--app", Payload.app]] {
      let outcome = try scene.stage.run(program: Program.plumb, arguments + ["--data", scene.standbyData])
      #expect(!outcome.succeeded && outcome.errors.contains("is a standby of"), "\(arguments): \(outcome.errors)")
    }
    // What is decided and configured on the primary arrives.
    #expect(try scene.stage.run("app", "add", "com.example.second").succeeded)
    #expect(eventually { scene.get("/api/v1/apps", of: scene.standby)?.contains("com.example.second") == true })
  }

  @Test("a standby continues after it or its primary was killed, and copies the folder again after a deletion")
  func restarts() throws {
    let scene = try StandbyScene()
    func both(_ count: Int) throws -> Bool {
      try eventually {
        try scene.get("/api/v1/apps/\(Payload.app)/report", of: scene.standby).map {
          try JSON($0)["sessions"]["total"].integer == count
        } ?? false
      }
    }
    #expect(scene.send(NodeScene.session("a"), to: scene.primary)?.status == 202)
    #expect(try both(1))
    scene.standby.kill()
    #expect(scene.send(NodeScene.session("b"), to: scene.primary)?.status == 202)
    try scene.startStandby(isNew: false)
    #expect(try both(2))
    scene.primary.kill()
    try scene.restartPrimary()
    #expect(scene.send(NodeScene.session("c"), to: scene.primary)?.status == 202)
    #expect(try both(3))
    let deleted = try scene.stage.run("delete", "user", "someone", "--app", Payload.app, "--yes")
    #expect(deleted.succeeded, "\(deleted.errors)")
    #expect(try both(0))
    #expect(scene.standby.child.errors.contains("copied again"))
  }

  @Test("a promotion stops a primary that answers, loses nothing, and the old primary does not start again")
  func switchover() throws {
    let scene = try StandbyScene()
    for index in 0..<10 {
      #expect(scene.send(NodeScene.session("s\(index)"), to: scene.primary)?.status == 202)
    }
    let promoted = try scene.promote()
    #expect(promoted.succeeded, "\(promoted.errors)")
    let refused = scene.send(NodeScene.session("late"), to: scene.primary)
    #expect(refused?.status == 503)
    #expect(scene.primary.connect().get("/readyz")?.text.contains("was replaced by") == true)
    #expect(scene.standby.connect().get("/readyz")?.status == 200)
    #expect(scene.send(NodeScene.session("s10"), to: scene.standby)?.status == 202)
    #expect(try eventually { try scene.report(of: scene.standby)["sessions"]["total"].integer == 11 })
    #expect(try !scene.promote().succeeded)
    #expect(scene.primary.stop() == .exit(0))
    let again = try scene.startPrimary()
    #expect(again.waitFor(seconds: 30) == .exit(1))
    #expect(again.errors.contains("was replaced by http://127.0.0.1:\(scene.standby.port)"))
    // The promoted server restarts as the primary, also with the flags of a standby.
    #expect(scene.standby.stop() == .exit(0))
    try scene.startStandby(isNew: false)
    #expect(scene.send(NodeScene.session("s11"), to: scene.standby)?.status == 202)
  }
}
