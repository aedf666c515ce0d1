import Foundation
import Testing
import TestSupport

@Suite("Backup, restore, verify and redigest")
struct BackupCommandTests {
  /// The sessions that a report of another data folder counts.
  private func sessions(_ stage: Stage, in folder: String) throws -> Int {
    let told = try stage.run("report", "--app", Payload.app, "--format", "json", "--data", folder)
    try #require(told.succeeded, "\(told.errors)")
    return try JSON(told.output)["sessions"]["total"].integer ?? -1
  }

  @Test("a backup under load has everything that was acknowledged before it, and a killed one is not a backup")
  func drill() throws {
    let stage = try Stage()
    let load = Load(key: try stage.addApp())
    let server = try stage.serve()
    load.aim(at: server)
    let clients = load.start(clients: 4)
    #expect(eventually { load.ledger.messages > 200 })
    let target = stage.folder + "/backup"
    let killed = try stage.start(["backup", "--to", target])
    usleep(20_000)
    killed.signal(SIGKILL)
    _ = killed.waitFor(seconds: 10)
    if !FileManager.default.fileExists(atPath: target) {
      let refused = try stage.run("restore", "--from", target + ".partial", "--data", stage.folder + "/nothing")
      #expect(refused.ending == .exit(2))
    }
    let before = load.ledger
    let made = try stage.run("backup", "--to", target)
    let after = load.ledger
    #expect(made.succeeded, "\(made.errors)")
    #expect(made.output.contains("through record"))
    load.end()
    #expect(clients.wait(seconds: 240))
    #expect(try stage.run("verify", "--from", target).succeeded)
    #expect(!FileManager.default.fileExists(atPath: target + ".partial"))

    let restored = stage.folder + "/restored"
    #expect(try stage.run("restore", "--from", target, "--data", restored).succeeded)
    let again = try stage.run("restore", "--from", target, "--data", restored)
    #expect(again.ending == .exit(2) && again.errors.contains("is not empty"))
    // Counts what waits in the journal's copy.
    #expect(try stage.run("prune", "--data", restored).succeeded)
    let total = try sessions(stage, in: restored)
    // Each of four clients has one message of two sessions on its way.
    #expect((before.sessions...after.sessions + 2 * 4).contains(total))
    let verified = try stage.run("verify", "--data", restored)
    #expect(verified.succeeded, "\(verified.output)")

    #expect(server.stop() == .exit(0))
    let all = try sessions(stage, in: stage.data)
    let busy = try stage.serve()
    #expect(try stage.run("redigest", "--from", target).ending == .exit(2))
    #expect(busy.stop() == .exit(0))
    try Data("garbage".utf8).write(to: URL(fileURLWithPath: stage.data + "/plumb.db"))
    for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: stage.data + "/plumb.db" + end) }
    let broken = try stage.run("verify")
    #expect(broken.ending == .exit(1) && broken.output.contains("damaged  plumb.db"))
    #expect(broken.output.contains("plumb redigest --from"))
    let rebuilt = try stage.run("redigest", "--from", target)
    #expect(rebuilt.succeeded, "\(rebuilt.errors)")
    #expect(try sessions(stage, in: stage.data) == all)
    #expect(try stage.run("verify").succeeded)
  }

  @Test("a backup is refused if it would overwrite something, or without a data folder")
  func refused() throws {
    let stage = try Stage()
    #expect(try stage.run("backup", "--to", stage.folder + "/backup").ending == .exit(3))
    _ = try stage.addApp()
    try stage.write("mine", to: "full/file")
    let refused = try stage.run("backup", "--to", stage.folder + "/full")
    #expect(refused.ending == .exit(2) && refused.errors.contains("contains files that are not a backup"))
    #expect(try stage.run("backup", "--to", stage.folder + "/new").succeeded)
    #expect(try stage.run("verify", "--from", stage.folder + "/new", "--set-aside").ending == .exit(64))
    #expect(try stage.run("verify", "--data", stage.folder + "/nowhere").ending == .exit(3))
  }
}
