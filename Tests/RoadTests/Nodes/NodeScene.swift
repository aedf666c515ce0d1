import Foundation
import Testing
import TestSupport

/// A primary on a port that stays, and ingest nodes with folders of their own.
final class NodeScene {
  let stage: Stage
  let key: String
  let token: String
  private(set) var primary: ServerProcess
  private var reader: String?
  private var port: Int { primary.port }
  /// What the primary's environment has besides.
  private let environment: [String: String]

  init(limit: Int = 900, environment: [String: String] = [:]) throws {
    self.environment = environment
    stage = try Stage(limit: limit)
    key = try stage.addApp()
    let added = try stage.run("token", "add", "ingest", "--node")
    try #require(added.succeeded, "\(added.errors)")
    token = added.output.trimmingCharacters(in: .whitespacesAndNewlines)
    primary = try stage.serve(environment: environment)
  }

  /// Starts the primary again, on its port. `data`: another folder than before.
  func startPrimary(data: String? = nil, _ flags: String...) throws {
    let flags = ["serve", "--listen", "127.0.0.1:\(port)", "--data", data ?? stage.data] + flags
    primary = try ServerProcess(stage.start(flags, environment: environment))
  }

  func folder(_ name: String) -> String { stage.folder + "/" + name }

  /// Starts the node of this name. `folder`: nil for one of the same name; `port`: that of the primary by default.
  func node(
    _ name: String, folder: String? = nil, primary port: Int? = nil, _ flags: [String] = [],
    environment: [String: String] = [:]
  ) throws -> ServerProcess {
    let arguments = [
      "ingest", "--listen", "127.0.0.1:0", "--primary", "http://127.0.0.1:\(port ?? self.port)", "--node-name", name,
      "--data", folder ?? self.folder(name),
    ]
    return try ServerProcess(
      stage.start(arguments + flags, environment: ["PLUMB_TOKEN": token].merging(environment) { $1 }))
  }

  /// Sends native JSON and gives the status.
  @discardableResult
  func send(_ body: String, to server: ServerProcess, as idempotencyKey: String? = nil) -> Int {
    let named = idempotencyKey.map { [("Idempotency-Key", $0)] } ?? []
    return server.connect().send("POST", "/v1/payloads", [("X-Plumb-Key", key)] + named, body: body)?.status ?? 0
  }

  /// A value of a server's metrics without labels; nil if it has none.
  func metric(_ name: String, of server: ServerProcess) throws -> Int? {
    if reader == nil { reader = try stage.addToken() }
    let text = server.connect().get("/metrics", [("Authorization", "Bearer \(reader ?? "")")])?.text ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("plumb_\(name) ") }
    return line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
  }

  /// Waits until a node has nothing left to relay.
  func isRelayed(_ node: ServerProcess) throws -> Bool {
    try eventually { try metric("relay_waiting_records", of: node) == 0 }
  }

  /// The number of sessions in the primary's report.
  func sessions() throws -> Int? { try stage.report()["sessions"]["total"].integer }

  /// Waits until the primary has counted so many sessions.
  func counts(_ sessions: Int) throws -> Bool { try eventually { try self.sessions() == sessions } }

  /// What `plumb nodes list` says.
  func nodes() throws -> [JSON] {
    let told = try stage.run("nodes", "list", "--json")
    try #require(told.succeeded, "\(told.errors)")
    return try told.output.split(separator: "\n").map { try JSON(String($0)) }
  }

  func position(of name: String) throws -> Int? {
    try nodes().first { $0["name"].text == name }?["position"].integer
  }

  /// One session with this id.
  static func session(_ id: String) -> String { Payload.native(Payload.sessions([id])) }
}
