import Foundation
import Testing
import TestSupport

@Suite("plumb import")
struct ImportTests {
  @Test("plumb import accepts files and standard input, and names each bad file without stopping")
  func files() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    try stage.write(Payload.native(Payload.sessions(["a"])), to: "one.json")
    try stage.write(
      "[\(Payload.native(Payload.sessions(["b"]))),\(Payload.native(Payload.sessions(["c"])))]", to: "two.json")
    try stage.write(Payload.native("\"sessions\":[{\"status\":\"gone\"}]"), to: "bad.json")
    try stage.write("", to: "empty.json")
    try stage.write(Payload.native(Payload.sessions(["f"])), to: "more/three.json")
    let mixed = try stage.run(
      "import", "bad.json", "one.json", "none.json", "empty.json", "more", "two.json", "--app", Payload.app)
    #expect(mixed.ending == .exit(1))
    #expect(mixed.output.contains("3 of 6 files imported, 3 refused"), "\(mixed.output)")
    for part in ["bad.json: sessions[0].status", "none.json: ", "empty.json: "] {
      #expect(mixed.errors.contains(part), "\(part) in \(mixed.errors)")
    }
    #expect(try stage.report()["sessions"]["total"].integer == 4)
    let piped = try stage.run("import", "-", "--app", Payload.app, input: Payload.native(Payload.sessions(["d", "e"])))
    #expect(piped.succeeded, "\(piped.errors)")
    #expect(try stage.report()["sessions"]["total"].integer == 6)
    #expect(try stage.run("import", "one.json", "--app", "nobody").ending == .exit(1))
    #expect(try stage.run("import", "one.json").ending == .exit(64))
    #expect(try tallies(of: stage)["rejected value"] == 1)
  }

  @Test("plumb import passes its records to a running idle server")
  func besideIdleServer() throws {
    let stage = try Stage()
    _ = try stage.addApp()
    let server = try stage.serve()
    try stage.write(Payload.native(Payload.sessions(["a", "b"])), to: "one.json")
    let taken = try stage.run("import", "one.json", "--app", Payload.app)
    #expect(taken.succeeded && taken.output.contains("digests them"), "\(taken)")
    #expect(try stage.report { $0["sessions"]["total"].integer == 2 }["sessions"]["total"].integer == 2)
    #expect(server.stop() == .exit(0))
  }

  @Test("plumb import and a server under load lose nothing when they write at the same time")
  func besideBusyServer() throws {
    let stage = try Stage()
    let load = Load(key: try stage.addApp())
    let server = try stage.serve()
    load.aim(at: server)
    let clients = load.start(clients: 6)
    for round in 0..<6 {
      var names: [String] = []
      for number in 0..<40 {
        let name = "file-\(round)-\(number).json"
        try stage.write(Payload.native(Payload.sessions(["i-\(round)-\(number)"])), to: name)
        names.append(name)
      }
      let taken = try stage.run(program: Program.plumb, ["import", "--app", Payload.app] + names)
      #expect(taken.succeeded, "\(taken)")
    }
    load.end()
    #expect(clients.wait(seconds: 240))
    #expect(server.stop() == .exit(0), "\(server.child.errors)")
    #expect(try stage.report()["sessions"]["total"].integer == load.ledger.sessions + 240)
  }

  @Test("plumb import that is still digesting lets a server start at once, and the server continues")
  func beforeServer() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    // Standard input is a pipe that stays open: the import waits for its end.
    mkfifo(stage.folder + "/pipe", 0o600)
    let writing = open(stage.folder + "/pipe", O_RDWR | O_CLOEXEC)
    defer { close(writing) }
    let importing = try stage.start(["import", "-", "--app", Payload.app], pipe: stage.folder + "/pipe")
    usleep(800_000)
    let server = try stage.serve()
    #expect(Payload.post(Payload.native(Payload.sessions(["a"])), to: server, key: key) == 202)
    importing.signal(SIGKILL)
    _ = importing.waitFor(seconds: 5)
    #expect(Payload.post(Payload.native(Payload.sessions(["b"])), to: server, key: key) == 202)
    #expect(try stage.report { $0["sessions"]["total"].integer == 2 }["sessions"]["total"].integer == 2)
    #expect(server.stop() == .exit(0))
  }
}
