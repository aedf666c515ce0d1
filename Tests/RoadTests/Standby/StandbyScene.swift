import Foundation
import Testing
import TestSupport

/// A primary and a standby, each with a folder and a port of its own, and ingest nodes that know both.
final class StandbyScene {
  let stage: Stage
  let key: String
  private let nodeToken: String
  private let tokenFile: String
  private let reader: String
  private(set) var primary: ServerProcess
  private(set) var standby: ServerProcess
  /// The folder of the primary.
  private(set) var data: String
  private(set) var standbyData: String
  private var started = 0

  init(limit: Int = 900) throws {
    stage = try Stage(limit: limit)
    key = try stage.addApp()
    nodeToken = try Self.token(stage, "ingest", "--node")
    tokenFile = try stage.write(try Self.token(stage, "standby", "--standby"), to: "standby.token")
    chmod(tokenFile, 0o600)
    reader = try stage.addToken()
    data = stage.data
    standbyData = stage.folder + "/standby-1"
    primary = try stage.serve()
    standby = try Self.startStandby(stage, of: primary.port, tokenFile, standbyData, port: Self.freePort())
    started = 1
    try #require(isCurrent(), "\(standby.child.errors)")
  }

  private static func token(_ stage: Stage, _ name: String, _ flag: String) throws -> String {
    let added = try stage.run("token", "add", name, flag)
    try #require(added.succeeded, "\(added.errors)")
    return added.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Starts a standby of the primary with an empty folder, or again with the folder that it had.
  func startStandby(isNew: Bool = true) throws {
    if isNew {
      started += 1
      standbyData = stage.folder + "/standby-\(started)"
    }
    let port = isNew ? Self.freePort() : standby.port
    standby = try Self.startStandby(stage, of: primary.port, tokenFile, standbyData, port: port)
  }

  private static func startStandby(
    _ stage: Stage, of primary: Int, _ tokenFile: String, _ data: String, port: Int
  ) throws -> ServerProcess {
    let child = try stage.start([
      "serve", "--standby-of", "http://127.0.0.1:\(primary)", "--token-file", tokenFile, "--listen",
      "127.0.0.1:\(port)", "--data", data,
    ])
    return try ServerProcess(child)
  }

  /// Starts a primary again, on its port.
  func startPrimary() throws -> Child {
    try stage.start(["serve", "--listen", "127.0.0.1:\(primary.port)", "--data", data])
  }

  func restartPrimary() throws { primary = try ServerProcess(startPrimary()) }

  /// Starts an ingest node that knows the primary and the standby.
  func node(_ name: String) throws -> ServerProcess {
    try ServerProcess(
      stage.start(
        [
          "ingest", "--listen", "127.0.0.1:0", "--primary", "http://127.0.0.1:\(primary.port)", "--primary",
          "http://127.0.0.1:\(standby.port)", "--node-name", name, "--data", stage.folder + "/" + name,
        ], environment: ["PLUMB_TOKEN": nodeToken]))
  }

  func promote(_ flags: String...) throws -> Stage.Outcome {
    try stage.run(program: Program.plumb, ["promote", "--data", standbyData] + flags)
  }

  /// Makes the promoted standby the primary of the scene.
  func swap() { (primary, data) = (standby, standbyData) }

  /// Waits until the standby has what the primary had when this was called.
  func isCurrent() -> Bool {
    let start = Date().addingTimeInterval(1)
    return eventually(within: 60) {
      let text = standby.connect().get("/readyz")?.text ?? ""
      return text.contains("Data as of") && !text.contains("cannot be followed") && Date() > start
    }
  }

  /// An answer of the API, as its text.
  func get(_ path: String, of server: ServerProcess) -> String? {
    let answer = server.connect().get(path, [("Authorization", "Bearer \(reader)"), ("Accept", "application/json")])
    return answer?.status == 200 ? answer?.text : nil
  }

  func report(of server: ServerProcess) throws -> JSON {
    try JSON(#require(get("/api/v1/apps/\(Payload.app)/report", of: server)))
  }

  func send(_ body: String, to server: ServerProcess, as idempotencyKey: String? = nil) -> HTTPClient.Answer? {
    let named = idempotencyKey.map { [("Idempotency-Key", $0)] } ?? []
    return server.connect().send("POST", "/v1/payloads", [("X-Plumb-Key", key)] + named, body: body)
  }

  /// A port that nothing listens on.
  private static func freePort() -> Int {
    let file = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = bind(file, pointer, length)
        _ = getsockname(file, pointer, &length)
      }
      return Int(UInt16(bigEndian: pointer.pointee.sin_port))
    }
  }
}
