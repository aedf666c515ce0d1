import Foundation
import Testing
import TestSupport

@Suite("Ingest nodes under faults")
struct NodeFaultTests {
  @Test("ingest nodes lose no acknowledged payload and count none twice if node and primary are killed in turn")
  func kills() throws {
    let scene = try NodeScene()
    let rounds = ProcessInfo.processInfo.environment["PLUMB_NODE_KILLS"].flatMap { Int($0) } ?? 4
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var nodes = [try scene.node("one"), try scene.node("two")]
    let loads = [Load(key: scene.key), Load(key: scene.key)]
    var crews: [Crew] = []
    for (load, node) in zip(loads, nodes) {
      load.aim(at: node)
      // The messages of both have the same names: each counts once, whichever node had it first.
      crews.append(load.start(clients: 2))
    }
    var killed = [0, 0]
    for round in 0..<rounds {
      usleep(.random(in: 50_000...700_000, using: &random))
      if round % 2 == 0 {
        let index = round / 2 % 2
        loads[index].aim(at: nil)
        nodes[index].kill()
        nodes[index] = try scene.node(["one", "two"][index])
        loads[index].aim(at: nodes[index])
        killed[0] += 1
      } else {
        scene.primary.kill()
        try scene.startPrimary()
        killed[1] += 1
      }
    }
    for load in loads { load.end() }
    for crew in crews { #expect(crew.wait(seconds: 240), "seed \(seed)") }
    for node in nodes { #expect(try scene.isRelayed(node), "seed \(seed)") }
    for server in nodes + [scene.primary] { #expect(server.stop() == .exit(0)) }
    // Both sent 0-0, 0-1, … and 1-0, 1-1, …: what one of them got further is the sum.
    let sum = Load.union(loads)
    let report = try scene.stage.report()
    #expect(report["sessions"]["total"].integer == sum.sessions, "seed \(seed)")
    #expect(report["sessions"]["crashed"].integer == sum.crashed, "seed \(seed)")
    #expect(report.metric("screen.load")["n"].integer == sum.measured, "seed \(seed)")
    #expect(report.metric("screen.load")["sum"].number == Double(sum.measuredSum), "seed \(seed)")
    if rounds > 4 {
      print(
        "kills: \(killed[0]) of nodes, \(killed[1]) of the primary; \(loads.map(\.ledger.messages)) acknowledged, "
          + "\(sum.messages) different, \(report.metric("screen.load")["n"].integer ?? 0) counted")
    }
  }

  @Test("ingest nodes count no record twice if the primary accepts records and its answer is lost")
  func lostAnswer() throws {
    let scene = try NodeScene()
    let proxy = try AnswerCutter(to: scene.primary.port)
    let node = try scene.node("one", primary: proxy.port)
    #expect(scene.send(NodeScene.session("first"), to: node) == 202)
    #expect(try scene.counts(1))
    #expect(try scene.isRelayed(node))
    proxy.cutsAnswers = true
    for index in 0..<5 { #expect(scene.send(NodeScene.session("s\(index)"), to: node) == 202) }
    // Some of them are counted, and the node sends them again.
    #expect(try eventually { try scene.sessions() ?? 0 > 1 })
    let before = proxy.cuts
    #expect(eventually { proxy.cuts >= before + 2 })
    let waiting = try scene.metric("relay_waiting_records", of: node)
    #expect(waiting ?? 0 >= 5)
    proxy.cutsAnswers = false
    #expect(scene.send(NodeScene.session("last"), to: node) == 202)
    #expect(try scene.counts(7))
    #expect(try scene.isRelayed(node))
    #expect(node.stop() == .exit(0))
    #expect(scene.primary.stop() == .exit(0))
    let report = try scene.stage.report()
    #expect(report["sessions"]["total"].integer == 7)
  }

  @Test("ingest nodes refuse payloads while more than journal-limit waits, and accept them once it is relayed")
  func fullJournal() throws {
    let scene = try NodeScene()
    let node = try scene.node("one", environment: ["PLUMB_JOURNAL_LIMIT": "20KiB"])
    #expect(scene.primary.stop() == .exit(0))
    var accepted = 0
    var refusal: HTTPClient.Answer?
    let isFull = eventually {
      let values = (0..<300).map { _ in Int.random(in: 1...100_000) }
      let body = Payload.native(Payload.sessions(["s\(accepted)"]), Payload.measurements("screen.load", values))
      refusal = node.connect().send("POST", "/v1/payloads", [("X-Plumb-Key", scene.key)], body: body)
      if refusal?.status == 202 { accepted += 1 }
      return refusal?.status == 503
    }
    #expect(isFull && refusal?.header("Retry-After") != nil)
    let ready = node.connect().get("/readyz")
    #expect(ready?.status == 503 && ready?.text.contains("journal-limit is 20 KiB") == true, "\(ready?.text ?? "")")
    try scene.startPrimary()
    #expect(try scene.counts(accepted))
    #expect(eventually { scene.send(NodeScene.session("after"), to: node) == 202 })
    #expect(node.connect().get("/readyz")?.status == 200)
    #expect(try scene.counts(accepted + 1))
  }

  @Test("a server refuses payloads while more than journal-limit waits for its digest")
  func fullServer() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    // Another process holds the digest, so that all waits.
    let lock = open(stage.data + "/digest.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let server = try stage.serve(environment: ["PLUMB_JOURNAL_LIMIT": "2KiB"])
    var accepted = 0
    let isFull = eventually {
      let values = (0..<300).map { _ in Int.random(in: 1...100_000) }
      let body = Payload.native(Payload.sessions(["s\(accepted)"]), Payload.measurements("screen.load", values))
      let status = Payload.post(body, to: server, key: key)
      if status == 202 { accepted += 1 }
      return status == 503
    }
    #expect(isFull)
    #expect(server.connect().get("/readyz")?.text.contains("waiting for the digest") == true)
    close(lock)
    #expect(eventually { Payload.post(Payload.native(Payload.sessions(["after"])), to: server, key: key) == 202 })
    let report = try stage.report { $0["sessions"]["total"].integer == accepted + 1 }
    #expect(report["sessions"]["total"].integer == accepted + 1)
  }
}
