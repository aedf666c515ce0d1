import ClickHouseServer
import Foundation
import Testing

/// A data folder whose rows are on two real ClickHouse servers.
struct ClusterStage {
  let stage: Stage
  let shards: [ClickHouseServer]
  private let token: String

  static let isPossible = ClickHouseServer.Engine.installed.contains(.server)

  init(limit: Int = 900) throws {
    stage = try Stage(limit: limit)
    shards = try ClickHouseServer.shards(2)
    token = try stage.addToken()
  }

  /// What makes a command use the servers: their addresses and the name of the cluster.
  var environment: [String: String] {
    ["PLUMB_STORE": shards.map { "\($0.address())" }.joined(separator: ","), "PLUMB_STORE_CLUSTER": "shards"]
  }

  func serve(_ flags: String...) throws -> ServerProcess {
    try ServerProcess(stage.start(["serve", "--listen", "127.0.0.1:0"] + flags, environment: environment))
  }

  /// The value of a metric in the server's own metrics, added up over its labels.
  func metric(_ name: String, of server: ServerProcess) -> Double? {
    let token = [("Authorization", "Bearer \(token)")]
    guard let answer = server.connect().send("GET", "/metrics", token), answer.status == 200 else { return nil }
    let text = answer.text
    let values = text.split(separator: "\n").filter { $0.hasPrefix("plumb_\(name)") }
      .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    return values.isEmpty ? nil : values.reduce(0, +)
  }
}
