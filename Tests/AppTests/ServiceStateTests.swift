import Foundation
import Synchronization
import Testing

@testable import App

/// A socket that takes what a service tells systemd.
private final class NotifySocket {
  let path: String
  private let descriptor: Int32

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/notify-\(UUID().uuidString.prefix(8))"
    descriptor = socket(AF_UNIX, 2, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// The next message; nil after a minute without one.
  func next() -> String? {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }
}

@Suite("A service of systemd")
struct ServiceStateTests {
  @Test("a systemd service notifies that it is ready, pings the watchdog while it responds, and notifies that it stops")
  func life() throws {
    let socket = try NotifySocket()
    let scene = try AppScene()
    var options = PlumbServer.Options(listen: try ListenAddress("127.0.0.1:0"))
    options.service = SystemdNotifier(environment: ["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "200000"])
    let server = try PlumbServer(scene.path, scene.settings("{}"), options, logger: scene.logger)
    try server.start()
    var told = [socket.next(), socket.next(), socket.next()]
    #expect(told.contains("READY=1\nSTATUS=Listening on \(server.url)"))
    #expect(told.filter { $0 == "WATCHDOG=1" }.count == 2, "\(told)")
    server.stop()
    while let next = told.last ?? nil, next == "WATCHDOG=1" { told.append(socket.next()) }
    #expect(told.last == "STOPPING=1", "\(told)")
  }

  @Test("only a process that systemd started is a service, with a watchdog that is meant for it")
  func environment() {
    #expect(SystemdNotifier(environment: [:]) == nil)
    #expect(SystemdNotifier(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
    #expect(SystemdNotifier(environment: ["NOTIFY_SOCKET": "@a"])?.watchdogMicroseconds == nil)
    func limit(_ time: String, _ process: String) -> Int64? {
      SystemdNotifier(
        environment: ["NOTIFY_SOCKET": "/a", "WATCHDOG_USEC": time, "WATCHDOG_PID": process], process: 7)?
        .watchdogMicroseconds
    }
    #expect(limit("5000", "7") == 5000 && limit("5000", "8") == nil && limit("0", "7") == nil && limit("x", "7") == nil)
    #expect(SystemdNotifier(environment: ["NOTIFY_SOCKET": "/nobody/listens"])?.send("READY=1") == false)
    #expect(
      SystemdNotifier(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "a", count: 200)])?.send("x") == false)
  }
}
