import Foundation
import Testing
import TestSupport

/// Numbers that each are allowed, and whose sums no integer holds.
extension Attacks {
  @Test("counts whose sum exceeds every integer stop neither the server nor its next two starts")
  func histogramCounts() throws {
    let scene = try AttackScene()
    var running = scene
    let bounds = (1...999).map(String.init).joined(separator: ",")
    func document(_ metric: String, _ count: Int) -> String {
      let counts = AttackScene.list("1000000000000", 1000)
      let one = "{\"metric\":\"\(metric)\",\"bounds\":[\(bounds)],\"counts\":[\(counts)]}"
      return "{\"app\":{\"version\":\"1\"},\"histograms\":[\(AttackScene.list(one, count))]}"
    }
    let whole = try scene.packed(document("launch.first_draw", 60))
    let parts = try scene.packed("[\(AttackScene.list(document("mine", 3), 20))]")
    // The same with OTLP's buckets.
    let point: [UInt8] =
      [UInt8].fixed(3, UInt64(Date().timeIntervalSince1970 * 1e9)) + [UInt8].fixed(4, 1_000_000_000_000_000)
      + (0..<1000).flatMap { _ in [UInt8].fixed(6, 1_000_000_000_000) }
      + (0..<999).flatMap { [UInt8].double(7, Double($0)) }
    let points = Array(repeatElement([UInt8].field(1, point), count: 60).joined()) + [16, 1]
    let metric = [UInt8].text(1, "mine") + [UInt8].field(9, points)
    let otlp = try scene.packed([UInt8].field(1, [UInt8].field(2, [UInt8].field(2, metric))))
    try Watch.during(in: scene) {
      for body in [whole, parts] {
        #expect([202, 400, 413, 429].contains(scene.post(AttackScene.attacked, body, gzip: true)))
      }
      scene.post(AttackScene.attacked, otlp, to: "/v1/metrics", gzip: true, type: "application/x-protobuf")
      sleep(3)
    }
    // What was taken stands in the journal, and is digested again if it was not to the end.
    for _ in 0..<2 {
      running = try #require(running.restarted(), "a record stops the server at its start")
      #expect(waitsAlive(running, seconds: 1))
    }
    try Watch.during(in: running, news: [AttackScene.honest, AttackScene.attacked]) {}
  }

  @Test("losses whose sum exceeds every integer leave the data-quality page unchanged")
  func losses() throws {
    let scene = try AttackScene()
    let loss = "{\"reason\":\"a\",\"category\":\"error\",\"quantity\":1000000000000}"
    let report = "{\"type\":\"client_report\"}\n{\"discarded_events\":[\(AttackScene.list(loss, 1000))]}"
    let body = try scene.packed("{}\n\(report)")
    let pages = ["/apps/\(AttackScene.attacked)/data-quality", "/api/v1/apps/\(AttackScene.attacked)/data-quality"]
    func lost(_ scene: AttackScene) throws -> Double? {
      try JSON(scene.get(pages[1])?.text ?? "{}")["lost_by_client"][0]["count"].number
    }
    for page in pages { #expect(scene.get(page)?.status == 200) }
    #expect(scene.post(AttackScene.attacked, body, to: "/api/1/envelope/", gzip: true) == 200)
    let isCounted = try eventually { try lost(scene) ?? 0 > 0 }
    #expect(isCounted)
    // As if others had come for years.
    #expect(scene.server.stop(seconds: 20) == .exit(0))
    try SQLFile.run(
      "UPDATE tally SET count = 9223372036854775000 WHERE count >= 1000000", in: scene.stage.data + "/plumb.db"
    )
    let after = try #require(scene.restarted())
    try Watch.during(in: after) {
      for number in 0..<5 {
        let other = try after.packed("{\"n\":\(number)}\n\(report)")
        #expect(after.post(AttackScene.attacked, other, to: "/api/1/envelope/", gzip: true) == 200)
      }
    }
    #expect(try lost(after) ?? 0 >= 9.2e18)
    for page in pages + ["/apps/\(AttackScene.attacked)/setup"] { #expect(after.get(page)?.status == 200, "\(page)") }
    #expect(try after.stage.run("report", "--app", AttackScene.attacked).succeeded)
  }

  private func waitsAlive(_ scene: AttackScene, seconds: Double) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
      if !scene.isAlive { return false }
      usleep(50_000)
    }
    return true
  }
}
