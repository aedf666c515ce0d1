import Foundation
import Testing

/// A file system of its own for a test, in memory.
private final class SmallDisk {
  let path: String

  /// Nil where mounting is not permitted.
  init?(_ path: String, megabytes: Int) {
    self.path = path
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard Self.run(["mount", "-t", "tmpfs", "-o", "size=\(megabytes)m,mode=0700", "tmpfs", path]) else { return nil }
  }

  deinit { _ = Self.run(["umount", "-l", path]) }

  static let isPermitted: Bool = {
    let path = FileManager.default.temporaryDirectory.path + "/plumb-mount-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    return SmallDisk(path, megabytes: 1) != nil
  }()

  static func run(_ arguments: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

@Suite("A small disk")
struct SmallDiskTests {
  @Test(
    "is announced, then payloads are refused before it is full, reading and deleting go on, and room ends it",
    .enabled(if: SmallDisk.isPermitted, "mounting a tmpfs needs root"))
  func small() throws {
    let stage = try Stage()
    let disk = try #require(SmallDisk(stage.data, megabytes: 64))
    let key = try stage.addApp()
    let token = ("Authorization", "Bearer \(try stage.addToken())")
    let floor = ["PLUMB_FREE_SPACE": "24MiB"]
    let server = try stage.serve(environment: floor)
    let client = server.connect()
    #expect(client.get("/readyz")?.status == 200)
    var (accepted, announced, refused): (Int, Bool, Client.Answer?) = (0, false, nil)
    let deadline = Date().addingTimeInterval(120)
    while refused == nil, Date() < deadline {
      let values = (0..<2000).map { _ in Int.random(in: 1...9_999_999) }
      let answer = client.send(
        "POST", "/v1/payloads", [("X-Plumb-Key", key), ("Idempotency-Key", "\(accepted)")],
        body: Payload.native(Payload.measurements("screen.load", values)))
      if answer?.status == 202 { accepted += 1 } else { refused = answer }
      if !announced { announced = client.get("/metrics", [token])?.text.contains("plumb_disk_floor_bytes") == true }
    }
    #expect(refused?.status == 503 && refused?.header("Retry-After") == "300", "\(accepted) \(refused?.text ?? "")")
    #expect(announced && server.child.errors.contains("Little space") && server.child.errors.contains("No space"))
    #expect(client.get("/readyz")?.status == 503)
    #expect(client.get("/healthz")?.status == 200)
    #expect(client.get("/api/v1/apps", [token])?.status == 200)
    #expect(
      try stage.report { $0.metric("screen.load")["n"].integer == accepted * 2000 }
        .metric("screen.load")["n"].integer == accepted * 2000, "what was acknowledged is counted")
    let check = try stage.run("check", "--stateless", environment: floor)
    #expect(check.ending != nil)
    let incident = try stage.run("check", environment: floor)
    #expect(incident.output.contains("of the disk are free"), "\(incident.output)\(incident.errors)")
    // Deleting works, and with retention and pruning it makes room.
    let deleted = try stage.run("delete", "app", Payload.app, "--yes", environment: floor)
    #expect(deleted.succeeded, "\(deleted.errors)")
    #expect(server.stop() == .exit(0))
    let pruned = try stage.run("prune", environment: floor)
    #expect(pruned.succeeded && pruned.output.contains("given back"), "\(pruned.errors)")
    withExtendedLifetime(disk) {}
  }
}
