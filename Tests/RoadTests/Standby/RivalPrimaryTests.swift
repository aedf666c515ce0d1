import Foundation
import Testing
import TestSupport

@Suite("Two promoted standbys")
struct RivalPrimaryTests {
  private static let warning = "Two servers were promoted to epoch 1"

  @Test("a second standby is not promoted while it can reach the first, and forced, it fences the first")
  func second() throws {
    let scene = try StandbyScene()
    let (other, folder) = try scene.anotherStandby()
    // Both know each other from the primary.
    #expect(scene.send(NodeScene.session("a"), to: scene.primary)?.status == 202)
    #expect(eventually { scene.sessions(of: other) == 1 })
    scene.primary.kill()
    #expect(try scene.promote().succeeded)
    #expect(scene.send(NodeScene.session("b"), to: scene.standby)?.status == 202)
    let refused = try scene.promote(folder)
    #expect(
      !refused.succeeded && refused.errors.contains("http://127.0.0.1:\(scene.standby.port) was already promoted"))
    let asked = eventually { other.connect().get("/readyz")?.text.contains("cannot be followed") == true }
    #expect(asked)
    #expect(scene.send(NodeScene.session("c"), to: scene.standby)?.status == 202)
    let forced = try scene.promote(folder, "--force")
    #expect(forced.succeeded, "\(forced.errors)")
    #expect(eventually { scene.send(NodeScene.session("d"), to: scene.standby)?.status == 503 })
    #expect(scene.standby.connect().get("/readyz")?.text.contains("(epoch 2)") == true)
    #expect(scene.send(NodeScene.session("e"), to: other)?.status == 202)
  }

  @Test("two servers of one epoch say so, a node stays with one of them, and a forced promotion ends it without a loss")
  func rivals() throws {
    let scene = try StandbyScene()
    // A network that is cut: nothing reaches the second standby at its own address.
    let (other, folder) = try scene.anotherStandby("--own-address", "http://127.0.0.1:1")
    let first = try scene.node("node")
    #expect(scene.send(NodeScene.session("a"), to: first)?.status == 202)
    #expect(eventually { scene.sessions(of: other) == 1 && scene.sessions(of: scene.standby) == 1 })
    scene.primary.kill()
    #expect(try scene.promote().succeeded)
    #expect(scene.send(NodeScene.session("b"), to: first)?.status == 202)
    #expect(eventually { scene.sessions(of: scene.standby) == 2 })
    #expect(first.stop() == .exit(0))
    scene.standby.kill()
    let blind = try scene.promote(folder)
    #expect(blind.succeeded, "\(blind.errors)")
    // The node asks the second one, which must not take what belongs to the first.
    let node = try scene.node("node", and: other)
    #expect(scene.send(NodeScene.session("c"), to: node)?.status == 202)
    #expect(eventually { other.connect().get("/readyz")?.text.contains(Self.warning) == true })
    #expect(other.connect().get("/readyz")?.status == 200)
    #expect(scene.sessions(of: other) == 1)
    try scene.startStandby(isNew: false)
    for server in [scene.standby, other] {
      #expect(eventually { server.connect().get("/readyz")?.text.contains(Self.warning) == true })
      #expect(scene.metric("rival_primaries", of: server) == 1)
      #expect(server.child.errors.contains("critical") && server.child.errors.contains(Self.warning))
    }
    #expect(eventually { node.connect().get("/readyz")?.text.contains(Self.warning) == true })
    #expect(eventually { scene.sessions(of: scene.standby) == 3 })
    #expect(scene.sessions(of: other) == 1)
    // The operator decides for the second; the node gives it what only the first had.
    #expect(try !scene.promote(folder).succeeded)
    let forced = try scene.promote(folder, "--force")
    #expect(forced.succeeded, "\(forced.errors)")
    #expect(eventually { scene.send(NodeScene.session("x"), to: scene.standby)?.status == 503 })
    #expect(scene.send(NodeScene.session("d"), to: node)?.status == 202)
    #expect(eventually { scene.sessions(of: other) == 4 }, "\(scene.sessions(of: other) ?? -1)")
    #expect(eventually { other.connect().get("/readyz")?.text.contains(Self.warning) == false })
    #expect(scene.metric("rival_primaries", of: other) == 0)
    #expect(eventually { node.connect().get("/readyz")?.text.contains(Self.warning) == false })
  }
}
