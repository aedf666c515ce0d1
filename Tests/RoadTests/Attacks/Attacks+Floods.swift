import Foundation
import Testing
import TestSupport

/// An app's key at full speed, with something new in every request.
extension Attacks {
  @Test("aggregates of thousands of sessions of one user delay no other app and fill no disk")
  func aggregates() throws {
    let start = String(Date().ISO8601Format().prefix(13)) + ":00:00Z"
    let item = """
      {"type":"sessions"}
      {"aggregates":[{"started":"\(start)","did":"one","exited":10000}],"attrs":{"release":"shop@1.0.0+1"}}

      """
    // Of all attacks it keeps the digest busy for longest. A machine that stands still for a moment delays one try, not two.
    var lags: [Double] = []
    while lags.count < 2, lags.allSatisfy({ $0 > Watch.mostLag }) {
      let scene = try AttackScene()
      let bodies = try (0..<30).map {
        try scene.packed("{\"n\":\($0)}\n" + String(repeating: item, count: 4))
      }
      lags.append(
        try Watch.during(in: scene, limitsLag: false) {
          for body in bodies { scene.post(AttackScene.attacked, body, to: "/api/1/envelope/", gzip: true) }
        })
      #expect(scene.stage.dataSize >> 20 < 100, "MB on disk")
    }
    #expect(lags.contains { $0 <= Watch.mostLag }, "until counted: \(lags)")
  }

  @Test("reasons, clients and releases that never repeat keep the data-quality page small and fast")
  func tallies() throws {
    let scene = try AttackScene()
    try Watch.during(in: scene, news: [AttackScene.honest, AttackScene.attacked]) {
      scene.flood(seconds: 1) { random in
        let losses = (0..<1000).map { _ in
          let word = random.word()
          return "{\"reason\":\"\(word)\",\"category\":\"\(word)\",\"quantity\":1}"
        }
        let report = "{\"type\":\"client_report\"}\n{\"discarded_events\":[\(losses.joined(separator: ","))]}"
        scene.post(AttackScene.attacked, "{\"n\":\"\(random.word())\"}\n\(report)".utf8, to: "/api/1/envelope/")
      }
      scene.flood(seconds: 1) { random in
        let documents = (0..<1000).map { _ in
          "{\"app\":{\"version\":\"\(random.word())\"},\"counters\":[{\"metric\":\"time.foreground\",\"value\":1e99}]}"
        }
        scene.post(AttackScene.attacked, "[\(documents.joined(separator: ","))]".utf8)
      }
    }
    for page in ["/apps", "/api/v1/apps"] {
      let start = Date()
      let answer = scene.get("\(page)/\(AttackScene.attacked)/data-quality")
      #expect(answer?.status == 200 && Date().timeIntervalSince(start) < 2, "\(page)")
      #expect(answer?.body.count ?? .max < 1 << 20, "\(page)")
    }
  }

  @Test("combinations of release, OS version and device that never repeat are not held in memory")
  func slices() throws {
    let scene = try AttackScene()
    try Watch.during(in: scene) {
      scene.flood(seconds: 4) { random in
        func number() -> Int { Int.random(in: 0..<20, using: &random) }
        let documents = (0..<1000).map { _ in
          """
          {"app":{"version":"\(number()).\(number())"},"device":{"model":"iPhone\(number()),\(number())",
          "os":"iOS \(number()).\(number())"},"counters":[{"metric":"time.background","value":1}],
          "measurements":[{"metric":"launch.first_draw","value":\(number() * 50)}]}
          """
        }
        scene.post(AttackScene.attacked, "[\(documents.joined(separator: ","))]".utf8)
      }
    }
  }

  @Test("streams, sessions, users, labels and diagnostics that never repeat delay no other app")
  func rows() throws {
    let scene = try AttackScene()
    let documents: [@Sendable (inout SeededRandom) -> String] = [
      { random in
        let sessions = (0..<1000).map { _ in "{\"id\":\"\(random.word())\",\"status\":\"ok\"}" }
        return "{\"installation\":\"\(random.word())\",\"sessions\":[\(sessions.joined(separator: ","))]}"
      },
      { random in
        let crashes = (0..<300).map { _ in
          let (word, uuid) = (random.word(), UUID().uuidString)
          return "{\"frames\":[{\"binary\":\"\(word)\",\"uuid\":\"\(uuid)\",\"offset\":1,\"function\":\"\(word)\"}]}"
        }
        return "{\"app\":{\"version\":\"1\"},\"crashes\":[\(crashes.joined(separator: ","))]}"
      },
      { random in
        let items = (0..<1000).map { _ in
          "{\"metric\":\"m.\(random.word())\",\"label\":\"\(random.word())\",\"value\":1}"
        }
        return "{\"environment\":\"\(random.word())\",\"measurements\":[\(items.joined(separator: ","))]}"
      },
    ]
    try Watch.during(in: scene) {
      for document in documents {
        scene.flood(seconds: 1.2) { scene.post(AttackScene.attacked, document(&$0).utf8) }
      }
      scene.flood(seconds: 1.2) { random in
        let now = UInt64(Date().timeIntervalSince1970 * 1e9)
        let points = (0..<1000).flatMap { _ in
          let attribute = [UInt8].text(1, "k") + .field(2, .text(1, random.word()))
          return [UInt8].field(1, .fixed(2, now - 1) + .fixed(3, now) + .double(4, 1) + .field(7, attribute))
        }
        let sum: [UInt8] = [UInt8].field(7, points + [16, 2, 24, 1])
        let body = [UInt8].field(1, .field(2, .field(2, .text(1, "mine") + sum)))
        scene.post(AttackScene.attacked, body, to: "/v1/metrics", type: "application/x-protobuf")
      }
    }
  }

  @Test("requests with nine thousand new streams each, a second's work, delay no other app")
  func streams() throws {
    let scene = try AttackScene()
    let now = UInt64(Date().timeIntervalSince1970 * 1e9)
    let name = Array("00000000".utf8)
    let attribute: [UInt8] = [UInt8].text(1, "k") + .field(2, .field(1, name))
    let point: [UInt8] = [UInt8].field(1, .fixed(2, now - 1) + .fixed(3, now) + .double(4, 1) + .field(7, attribute))
    let points = [UInt8](repeatElement(point, count: 9000).joined())
    let bodies = try (0..<24).map { request in
      var points = points
      // The name is the point's end.
      for number in 0..<9000 {
        let name = String(request * 9000 + number + 10_000_000).utf8
        points.replaceSubrange((number + 1) * point.count - 8..<(number + 1) * point.count, with: name)
      }
      let sum: [UInt8] = [UInt8].field(7, points + [16, 2, 24, 1])
      return try scene.packed([UInt8].field(1, .field(2, .field(2, .text(1, "mine") + sum))))
    }
    try Watch.during(in: scene) {
      let crew = Crew(3) { thread in
        for index in stride(from: thread, to: bodies.count, by: 3) {
          scene.post(
            AttackScene.attacked, bodies[index], to: "/v1/metrics", gzip: true, type: "application/x-protobuf")
        }
      }
      #expect(crew.wait(seconds: 20))
      // The digest has more to do than a flush holds.
      usleep(6_000_000)
    }
  }

  @Test("invented releases and crashes fill nothing, and the app's real ones appear within seconds")
  func names() throws {
    let scene = try AttackScene()
    let releases = (0..<1000).map {
      "{\"app\":{\"version\":\"9.\($0)\"},\"counters\":[{\"metric\":\"time.background\",\"value\":1}]}"
    }
    func crashes(_ numbers: Range<Int>) -> String {
      let list = numbers.map { "{\"frames\":[{\"binary\":\"S\",\"function\":\"f\($0)\"}]}" }
      return "{\"app\":{\"version\":\"1\"},\"crashes\":[\(list.joined(separator: ","))]}"
    }
    let first = try scene.packed("[\(releases.joined(separator: ","))]")
    let second = try scene.packed(crashes(0..<100_000))
    // In portions, should so many at once be refused.
    let portions = try (0..<20).map { try scene.packed(crashes($0 * 1000..<($0 + 1) * 1000)) }
    try Watch.during(in: scene, news: [AttackScene.honest, AttackScene.attacked]) {
      for body in [first, second] + portions { scene.post(AttackScene.attacked, body, gzip: true) }
      sleep(3)
    }
  }
}

extension Stage {
  /// Bytes of all files in the data folder.
  fileprivate var dataSize: Int {
    let files = (try? FileManager.default.subpathsOfDirectory(atPath: data)) ?? []
    return files.reduce(0) { sum, file in
      sum + (((try? FileManager.default.attributesOfItem(atPath: data + "/" + file))?[.size] as? Int) ?? 0)
    }
  }
}
