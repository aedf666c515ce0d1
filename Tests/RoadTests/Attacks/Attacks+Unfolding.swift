import Foundation
import Testing
import TestSupport

/// A few kilobytes that unfold into millions of parts, or into pairs of them.
extension Attacks {
  private static let protobuf = "application/x-protobuf"

  @Test("countless log records in a resource with countless attributes cost no more than their bytes")
  func logAttributes() throws {
    let scene = try AttackScene()
    let resource = [UInt8].field(1, .empty(1, 120_000))
    let body = try scene.packed([UInt8].field(1, resource + .field(2, .empty(2, 120_000))))
    let list = AttackScene.list("{}", 1_000_000)
    let json = try scene.packed(
      "{\"resourceLogs\":[{\"resource\":{\"attributes\":[\(list)]},\"scopeLogs\":[{\"logRecords\":[\(list)]}]}]}")
    try Watch.during(in: scene, news: [AttackScene.honest, AttackScene.attacked]) {
      scene.atOnce([body, body], to: "/v1/logs", type: Self.protobuf)
      scene.atOnce([json, json], to: "/v1/logs", type: "application/json")
    }
  }

  @Test("countless crashes with countless sessions cost no more than their bytes")
  func crashesAndSessions() throws {
    let scene = try AttackScene()
    let sessions = AttackScene.list("{\"id\":\"a\",\"status\":\"ok\"}", 300_000)
    let unknown = try scene.packed(
      "{\"sessions\":[\(sessions)],\"crashes\":[\(AttackScene.list("{\"session\":\"b\"}", 450_000))]}")
    // The last of many, again and again.
    let known = try scene.packed(
      "{\"sessions\":[\(sessions),{\"id\":\"b\",\"status\":\"ok\"}],\"crashes\":[\(AttackScene.list("{\"session\":\"b\"}", 450_000))]}"
    )
    let empty = try scene.packed("{\"crashes\":[\(AttackScene.list("{}", 5_000_000))]}")
    try Watch.during(in: scene, news: [AttackScene.honest, AttackScene.attacked]) {
      scene.atOnce([unknown, known])
      scene.atOnce([empty, empty])
    }
  }

  @Test("countless empty messages take no memory, at any level")
  func emptyMessages() throws {
    let scene = try AttackScene()
    func points(_ point: [UInt8]) -> [UInt8] {
      .field(1, .field(2, .field(2, .text(1, "x") + .field(5, point))))
    }
    let bodies = try [
      points(.empty(1, 8_000_000)), points(.field(1, .double(4, 1) + .empty(7, 7_000_000))), .empty(1, 8_000_000),
      .field(1, .empty(2, 8_000_000)), .field(1, .field(2, .empty(2, 8_000_000))),
    ].map { try scene.packed($0) }
    let json = try scene.packed("{\"resourceMetrics\":[\(AttackScene.list("{}", 5_000_000))]}")
    try Watch.during(in: scene, news: [AttackScene.honest, AttackScene.attacked]) {
      for body in bodies { scene.atOnce([body, body], to: "/v1/metrics", type: Self.protobuf) }
      scene.atOnce([json, json], to: "/v1/metrics", type: "application/json")
    }
  }
}
