import Foundation
import Testing
import TestSupport

@Suite("A data folder")
struct FolderTests {
  @Test("a data folder serves only one server, and a second prints why it does not start")
  func secondServer() throws {
    let stage = try Stage()
    let server = try stage.serve()
    let second = try stage.run("serve", "--listen", "127.0.0.1:0", limit: 600)
    #expect(second.ending == .exit(1) && second.errors.contains(stage.data), "\(second)")
    let other = try Stage()
    let taken = try other.run("serve", "--listen", "127.0.0.1:\(server.port)", limit: 600)
    #expect(taken.ending == .exit(1) && taken.errors.contains("already in use"), "\(taken)")
    #expect(server.stop() == .exit(0))
    let third = try stage.serve()
    third.child.signal(SIGINT)
    #expect(third.child.waitFor(seconds: 120) == .exit(0))
  }

  @Test("commands that need a data folder exit alike without one, and do not create it")
  func missing() throws {
    let stage = try Stage()
    let app = ["--app", Payload.app]
    for command in [
      ["app", "list"], ["app", "rotate-key", "a.b"], ["user", "list"], ["token", "list"], ["import", "-"] + app,
      ["check"], ["check", "--stateless"], ["compare", "--base", "1", "--head", "2"] + app, ["report"] + app,
      ["render", "--out", "site"], ["digest"], ["groups", "list"] + app, ["incidents", "list"], ["silence", "list"],
      ["symbols", "list"] + app, ["symbols", "remove", "00000000-0000-0000-0000-000000000000"], ["migrate"], ["prune"],
    ] {
      let told = try stage.run(program: Program.plumb, command)
      #expect(told.ending == .exit(3) && told.errors.contains("no data folder at \(stage.data)"), "\(command): \(told)")
    }
    #expect(!FileManager.default.fileExists(atPath: stage.data))
  }

  @Test("a data folder and every file in it are private to their owner")
  func privacy() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve()
    Payload.post(Payload.native(Payload.sessions(["secret-session"])), to: server, key: key)
    #expect(server.stop() == .exit(0))
    #expect(try mode(stage.data) == 0o700)
    #expect(try mode(stage.data + "/secret") == 0o600)
    #expect(try mode(stage.data + "/control.db") == 0o600)
    // Neither session ids nor users are stored as they came.
    for name in try FileManager.default.subpathsOfDirectory(atPath: stage.data) {
      // Folders have no bytes.
      guard let bytes = FileManager.default.contents(atPath: stage.data + "/" + name) else { continue }
      #expect(bytes.range(of: Data("secret-session".utf8)) == nil, "\(name)")
      #expect(bytes.range(of: Data("someone".utf8)) == nil, "\(name)")
    }
  }

  @Test("a data folder comes from the flag, then the environment, then the file, then the default")
  func precedence() throws {
    let stage = try Stage()
    try stage.write("data: from-file\n", to: "plumb.yaml")
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(stage.folder)/\(name)/control.db") }
    let environment = ["PLUMB_DATA": stage.folder + "/from-environment"]
    #expect(try stage.run("app", "add", "a.b", "--data", "from-flag", environment: environment).succeeded)
    #expect(exists("from-flag") && !exists("from-environment"))
    #expect(try stage.run("app", "add", "a.b", environment: environment).succeeded)
    #expect(exists("from-environment") && !exists("from-file"))
    let bare = try stage.run(program: "/usr/bin/env", ["-u", "PLUMB_DATA", Program.plumb, "app", "add", "a.b"])
    #expect(bare.succeeded && exists("from-file"), "\(bare)")
    try FileManager.default.removeItem(atPath: stage.folder + "/plumb.yaml")
    #expect(try stage.run(program: "/usr/bin/env", ["-u", "PLUMB_DATA", Program.plumb, "app", "add", "a.b"]).succeeded)
    #expect(exists("plumb-data"))
    try stage.write("data: x\nlisten: 127.0.0.1:0\nliten: 1\n", to: "plumb.yaml")
    let wrong = try stage.run("app", "list")
    #expect(wrong.ending == .exit(64) && wrong.errors.contains("plumb.yaml:3:1"), "\(wrong)")
  }

  @Test("a data folder is upgraded and pruned by commands without loss")
  func upkeep() throws {
    let stage = try Stage()
    #expect(try stage.run("migrate").ending == .exit(3), "there is no folder")
    _ = try stage.addApp()
    try stage.write(Payload.native(Payload.sessions(["a"])), to: "one.json")
    #expect(try stage.run("import", "one.json", "--app", Payload.app).succeeded)
    #expect(try stage.run("migrate").succeeded)
    #expect(try stage.run("prune").succeeded)
    #expect(try stage.report()["sessions"]["total"].integer == 1)
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue) & 0o777
  }
}
