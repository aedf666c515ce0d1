import Foundation
import Testing
import TestSupport

/// A primary and a standby, each with a folder and a port of its own, and ingest nodes that know both.
final class StandbyScene {
  /// The disk of the first standby, if it has one of its own.
  let disk: SmallDisk?
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

  /// `megabytes`: the size of the first standby's disk; nil for that of the stage. `clock`: the seconds by which its
  /// clock is wrong.
  init(limit: Int = 900, onDiskOf megabytes: Int? = nil, clock: Int = 0) throws {
    stage = try Stage(limit: limit)
    let folder = stage.folder
    disk = try megabytes.map { try #require(SmallDisk(folder + "/disk", megabytes: $0)) }
    key = try stage.addApp()
    nodeToken = try Self.token(stage, "ingest", "--node")
    tokenFile = try stage.write(try Self.token(stage, "standby", "--standby"), to: "standby.token")
    chmod(tokenFile, 0o600)
    reader = try stage.addToken()
    data = stage.data
    standbyData = folder + (disk == nil ? "/standby-1" : "/disk/standby")
    primary = try stage.serve()
    standby = try ServerProcess(
      Self.startStandby(stage, of: primary.port, tokenFile, standbyData, port: Self.freePort(), clock: clock))
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
    let port = isNew ? Self.freePort() : standby.port
    standby = try ServerProcess(spawnStandby(isNew: isNew, port: port))
  }

  private func spawnStandby(isNew: Bool, port: Int) throws -> Child {
    if isNew {
      started += 1
      standbyData = stage.folder + "/standby-\(started)"
    }
    return try Self.startStandby(stage, of: primary.port, tokenFile, standbyData, port: port)
  }

  /// Starts a standby like `startStandby`, and kills it after so many microseconds.
  func startStandby(isNew: Bool, killedAfter microseconds: UInt32) throws {
    standby.kill()
    let child = try spawnStandby(isNew: isNew, port: standby.port)
    usleep(microseconds)
    child.signal(SIGKILL)
    _ = child.waitFor(seconds: 5)
  }

  /// Starts a second standby of the primary, and gives it with its folder.
  func anotherStandby(_ flags: String...) throws -> (server: ServerProcess, data: String) {
    let data = stage.folder + "/another-standby"
    let child = try Self.startStandby(stage, of: primary.port, tokenFile, data, port: Self.freePort(), flags)
    return (try ServerProcess(child), data)
  }

  private static func startStandby(
    _ stage: Stage, of primary: Int, _ tokenFile: String, _ data: String, port: Int, _ flags: [String] = [],
    clock: Int = 0
  ) throws -> Child {
    try stage.start(
      [
        "serve", "--standby-of", "http://127.0.0.1:\(primary)", "--token-file", tokenFile, "--listen",
        "127.0.0.1:\(port)", "--data", data,
      ] + flags, environment: stage.clock(wrongBy: clock).merging(["PLUMB_FREE_SPACE": "24MiB"]) { $1 })
  }

  /// Starts a primary again, on its port.
  func startPrimary() throws -> Child {
    try stage.start(["serve", "--listen", "127.0.0.1:\(primary.port)", "--data", data])
  }

  func restartPrimary() throws { primary = try ServerProcess(startPrimary()) }

  /// Starts an ingest node that knows the primary, the standby and, if it is given, another one.
  func node(_ name: String, and other: ServerProcess? = nil) throws -> ServerProcess {
    let more = other.map { ["--primary", "http://127.0.0.1:\($0.port)"] } ?? []
    return try node(name, more)
  }

  private func node(_ name: String, _ flags: [String]) throws -> ServerProcess {
    try ServerProcess(
      stage.start(
        [
          "ingest", "--listen", "127.0.0.1:0", "--primary", "http://127.0.0.1:\(primary.port)", "--primary",
          "http://127.0.0.1:\(standby.port)", "--node-name", name, "--data", stage.folder + "/" + name,
        ] + flags, environment: ["PLUMB_TOKEN": nodeToken]))
  }

  /// Promotes the standby, or the one with this folder.
  func promote(_ folder: String? = nil, _ flags: String...) throws -> Stage.Outcome {
    try stage.run(program: Program.plumb, ["promote", "--data", folder ?? standbyData] + flags)
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

  /// What the standby says at `/readyz`.
  var ready: String { standby.connect().get("/readyz")?.text ?? "" }

  /// The number of sessions in a server's report; nil while it has none.
  func sessions(of server: ServerProcess) -> Int? { try? report(of: server)["sessions"]["total"].integer }

  /// Waits until the standby has counted so many sessions.
  func showsSessions(_ count: Int) -> Bool { eventually { sessions(of: standby) == count } }

  /// A value of a server's metrics without labels; nil if it has none.
  func metric(_ name: String, of server: ServerProcess) -> Int? {
    let text = server.connect().get("/metrics", [("Authorization", "Bearer \(reader)")])?.text ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("plumb_\(name) ") }
    return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
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
