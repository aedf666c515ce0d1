import Foundation
import Testing
import TestSupport

@Suite("Payloads through ingest nodes")
struct NodeEqualityTests {
  private static let yesterday = Date(timeIntervalSinceNow: -86_400)
  private static let day = String(yesterday.ISO8601Format().prefix(10))

  /// A payload of one device: an update of one of its sessions, measurements, and sometimes a crash.
  private static func body(device: Int, update: Int) -> String {
    let isLast = update == 3
    let crashes = device % 6 == 0 && isLast
    let session =
      "{\"id\":\"s-\(device)\",\"started\":\"\(day)T10:00:00Z\",\"seq\":\(update),\"duration\":\(update * 20),"
      + "\"status\":\"\(isLast ? crashes ? "crashed" : "exited" : "ok")\",\"errors\":\(device % 3)}"
    let crash = """
      {"at":"\(day)T10:01:00Z","session":"s-\(device)","exception":"EXC_BAD_ACCESS","signal":11,"threads":[
      {"crashed":true,"frames":[{"binary":"Shop","offset":4096,"function":"Cart.checkout\(device % 4)()"},
      {"binary":"Shop","offset":99,"function":"main"}]}]}
      """
    return """
      {"app":{"bundle_id":"\(Payload.app)","version":"4.\(device % 3).0","build":"1"},
      "device":{"model":"\(["iPhone15,2", "iPhone12,1", "iPad13,8"][device % 3])","os":"iOS 17.\(device % 5)"},
      "installation":"user-\(device % 29)","sessions":[\(session)],"crashes":[\(crashes ? crash : "")],
      \(Payload.measurements("screen.load", [100 + device * 7 % 900, 50 + update], label: "Cart\(device % 5)")),
      \(Payload.counter("time.foreground", 1 + device % 9))}
      """
  }

  /// A point of a cumulative stream.
  private static func point(_ value: Int, minute: Int) -> String {
    let start = Int64(yesterday.timeIntervalSince1970) / 60 * 60
    func nanoseconds(_ minute: Int) -> String { "\(start + Int64(minute) * 60)000000000" }
    return "{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":\"service.version\",\"value\":"
      + "{\"stringValue\":\"4.1.0\"}}]},\"scopeMetrics\":[{\"metrics\":[{\"name\":\"cart.taps\",\"unit\":\"1\",\"sum\":"
      + "{\"aggregationTemporality\":2,\"isMonotonic\":true,\"dataPoints\":[{\"asInt\":\"\(value)\","
      + "\"startTimeUnixNano\":\"\(nanoseconds(0))\",\"timeUnixNano\":\"\(nanoseconds(minute))\"}]}}]}]}]}"
  }

  @Test("payloads through ingest nodes give the report of a single machine: late sessions, users, crashes, streams")
  func equal() throws {
    let scene = try NodeScene()
    // The same apps, keys and secret, and no payload yet.
    #expect(scene.primary.stop() == .exit(0))
    try FileManager.default.copyItem(atPath: scene.stage.data, toPath: scene.folder("alone"))
    try scene.startPrimary()
    let alone = try ServerProcess(
      scene.stage.start(["serve", "--listen", "127.0.0.1:0", "--data", scene.folder("alone")]))
    let nodes = [try scene.node("one"), try scene.node("two")]
    // Updates of a session go through different nodes, the last of many before the first.
    for update in [2, 3, 1] {
      for device in 0..<60 {
        let body = Self.body(device: device, update: update)
        let key = device % 2 == 0 ? nil : "\(device)-\(update)"
        #expect(scene.send(body, to: nodes[(device + update) % 2], as: key) == 202)
        #expect(scene.send(body, to: alone, as: key) == 202)
      }
    }
    for node in nodes { #expect(try scene.isRelayed(node)) }
    // A stream's points have an order, which its client keeps by waiting for the answer; a node's relay takes a moment.
    for (index, value) in [5, 12, 12, 40].enumerated() {
      let node = nodes[index % 2]
      let headers = [("Authorization", "Bearer \(scene.key)"), ("Content-Type", "application/json")]
      for server in [node, alone] {
        let sent = server.connect().send("POST", "/v1/metrics", headers, body: Self.point(value, minute: index + 1))
        #expect(sent?.status == 200 && sent?.text == "{}", "\(sent?.text ?? "")")
      }
      #expect(try scene.isRelayed(node))
    }
    for server in nodes + [alone, scene.primary] { #expect(server.stop() == .exit(0)) }
    func report(_ data: String, _ command: [String]) throws -> String {
      let told = try scene.stage.run(
        program: Program.plumb, command + ["--data", data, "--now", Date().ISO8601Format().prefix(14) + "00:00Z"])
      #expect(told.succeeded, "\(told.errors)")
      return told.output
    }
    for command in [
      ["report", "--app", Payload.app, "--format", "json"],
      ["report", "--app", Payload.app, "--format", "json", "--release", "4.1.0"],
      ["check", "--stateless", "--all", "--format", "json"],
    ] {
      let (together, single) = (try report(scene.stage.data, command), try report(scene.folder("alone"), command))
      #expect(together == single)
    }
    let sum = try JSON(report(scene.stage.data, ["report", "--app", Payload.app, "--format", "json"]))
    #expect(sum["sessions"]["total"].integer == 60 && sum["sessions"]["crashed"].integer == 10)
    #expect(sum.metric("cart.taps")["sum"].number == 40)
    #expect(sum.metric("screen.load")["n"].integer == 360)
  }
}
