import Foundation
import Testing

/// Numbers that each are allowed, and whose sums no integer holds.
extension Attacks {
  @Test("counts whose sum no integer holds end neither the server nor its next two starts")
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

  @Test("losses whose sum no integer holds leave the data-quality page as it was")
  func losses() throws {
    let scene = try AttackScene()
    let loss = "{\"reason\":\"a\",\"category\":\"error\",\"quantity\":1000000000000}"
    let report = "{\"type\":\"client_report\"}\n{\"discarded_events\":[\(AttackScene.list(loss, 1000))]}"
    let body = try scene.packed("{}\n\(report)")
    let pages = ["/apps/\(AttackScene.attacked)/data-quality", "/api/v1/apps/\(AttackScene.attacked)/data-quality"]
    for page in pages { #expect(scene.get(page)?.status == 200) }
    try Watch.during(in: scene) {
      // 10¹⁵ each: 10,000 of them are more than an integer of 64 bits holds.
      let crew = Crew(3) { _ in
        let client = scene.server.connect()
        let headers = [
          ("X-Sentry-Auth", "Sentry sentry_key=\(scene.key(AttackScene.attacked))"), ("Content-Encoding", "gzip"),
        ]
        for _ in 0..<3500 where scene.isAlive {
          guard let answer = client.post(body, headers, target: "/api/1/envelope/") else { return }
          if answer.status == 429 { return }
        }
      }
      _ = crew.wait(seconds: 40)
      sleep(3)
      for page in pages + ["/apps/\(AttackScene.attacked)/setup"] {
        #expect(scene.get(page + "?x=1")?.status == 200 || scene.get(page)?.status == 200, "\(page)")
      }
    }
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
