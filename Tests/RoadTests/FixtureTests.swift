import Foundation
import Testing
import TestSupport

/// Every payload at hand over a real socket. `make conformance` tries their prefixes and mutations.
@Suite("Collected payloads")
struct FixtureTests {
  /// Our own, and those collected beside the project where they are.
  private static let folders = [
    Checkout.path("Tests/Conformance/Fixtures"), Checkout.collected("fixtures").path,
  ]

  private struct Delivery {
    let path: String
    let type: String
    let target: String
  }

  /// Where a file is posted, by the folder it lies in; nil for what is no payload.
  private static func delivery(_ path: String) -> Delivery? {
    let name = (path as NSString).lastPathComponent
    if name.hasSuffix(".md") || name.hasSuffix(".headers.json") || name.contains("garbage") { return nil }
    if path.contains("/sentry/") {
      let isEvent = name.hasSuffix(".json")
      return Delivery(path: path, type: "text/plain", target: isEvent ? "/api/1/store/" : "/api/1/envelope/")
    }
    guard path.contains("/otlp/") else {
      return Delivery(path: path, type: "application/x-www-form-urlencoded", target: "/v1/payloads")
    }
    let type = name.hasSuffix(".json") ? "application/json" : "application/x-protobuf"
    let signal = ["logs", "traces"].first { name.hasPrefix($0) } ?? "metrics"
    return Delivery(path: path, type: type, target: "/v1/\(signal)")
  }

  @Test("all available payloads are accepted, and counted as sent")
  func posted() throws {
    let stage = try Stage()
    let key = try stage.addApp()
    let server = try stage.serve("--open")
    let client = server.connect()
    var sent = 0
    for folder in Self.folders {
      let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      for name in names.sorted() {
        var isFolder: ObjCBool = false
        let path = folder + "/" + name
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue,
          let delivery = Self.delivery(path)
        else { continue }
        let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let answer = client.post(
          body, [("X-Plumb-Key", key), ("Content-Type", delivery.type)], target: delivery.target)
        // An envelope of the protocol's own pages names a key of theirs: keys that differ are refused.
        if delivery.target.hasPrefix("/api/"), String(decoding: body, as: UTF8.self).contains("\"dsn\"") {
          #expect(answer?.status == 403, "\(name)")
          continue
        }
        #expect([200, 202].contains(answer?.status), "\(name): \(answer?.text ?? "no answer")")
        sent += 1
      }
    }
    #expect(sent >= 13)
    #expect(server.stop() == .exit(0))
    let again = try stage.serve("--open").connect()
    let address = "/api/v1/apps/\(Payload.app)/data-quality"
    let quality = try JSON(try #require(again.get(address, [("Host", "localhost")])).text)
    #expect(quality["rejected"].list.isEmpty && quality["refused"].list.isEmpty)
    #expect((quality["received"].integer ?? 0) >= sent)
  }
}
