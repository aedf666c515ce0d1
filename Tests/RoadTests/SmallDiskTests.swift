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

  /// Fills the disk with a file until so much is free.
  func leave(megabytes: Int) throws {
    let ballast = path + "/ballast"
    try? FileManager.default.removeItem(atPath: ballast)
    var answer = statvfs()
    try #require(statvfs(path, &answer) == 0)
    let free = Int(answer.f_bavail * answer.f_frsize) >> 20
    #expect(Self.run(["fallocate", "-l", "\(max(1, free - megabytes))M", ballast]))
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
    let disk = try #require(SmallDisk(stage.data, megabytes: 100))
    let key = try stage.addApp()
    let token = ("Authorization", "Bearer \(try stage.addToken())")
    let floor = ["PLUMB_FREE_SPACE": "24MiB"]
    let server = try stage.serve(environment: floor)
    let client = server.connect()
    #expect(client.get("/readyz")?.status == 200)
    func send(_ number: Int) -> Client.Answer? {
      client.send(
        "POST", "/v1/payloads", [("X-Plumb-Key", key), ("Idempotency-Key", "\(number)")],
        body: Payload.native(Payload.measurements("screen.load", (1...1000).map { $0 * (number + 1) })))
    }
    let accepted = 5
    for number in 0..<accepted { #expect(send(number)?.status == 202) }
    // Something else fills the disk.
    try disk.leave(megabytes: 40)
    #expect(eventually { client.get("/readyz")?.text.contains("Little space") == true })
    #expect(
      client.get("/readyz")?.status == 200 && client.get("/metrics", [token])?.text.contains("plumb_disk") == true)
    try disk.leave(megabytes: 20)
    #expect(eventually { client.get("/readyz")?.status == 503 })
    try disk.leave(megabytes: 8)
    #expect(eventually { client.get("/readyz")?.text.contains("No space") == true })
    let refused = send(accepted)
    #expect(refused?.status == 503 && refused?.header("Retry-After") == "300")
    #expect(client.get("/healthz")?.status == 200)
    #expect(client.get("/api/v1/apps", [token])?.status == 200)
    #expect(
      try stage.report { $0.metric("screen.load")["n"].integer == accepted * 1000 }
        .metric("screen.load")["n"].integer == accepted * 1000, "what was acknowledged is counted")
    let incident = try stage.run("check", environment: floor)
    #expect(incident.output.contains("of the disk are free"), "\(incident.output)\(incident.errors)")
    // Deleting works, and with retention and pruning it makes room.
    let deleted = try stage.run("delete", "app", Payload.app, "--yes", environment: floor)
    #expect(deleted.succeeded, "\(deleted.errors)")
    try disk.leave(megabytes: 60)
    #expect(eventually { client.get("/readyz")?.status == 200 }, "\(client.get("/readyz")?.text ?? "no answer")")
    #expect(server.stop() == .exit(0))
    let pruned = try stage.run("prune", environment: floor)
    #expect(pruned.succeeded && pruned.output.contains("given back"), "\(pruned.errors)")
    withExtendedLifetime(disk) {}
  }
}
