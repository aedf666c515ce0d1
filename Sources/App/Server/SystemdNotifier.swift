import Foundation

/// Sends the service's state to systemd over its socket (sd_notify(3)), without systemd's library.
struct SystemdNotifier: Sendable {
  private let socketPath: String
  /// The watchdog timeout in microseconds. Nil if no systemd watchdog is configured.
  let watchdogMicroseconds: Int64?

  /// Nil if the process was not started as a systemd service of type `notify`.
  init?(environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
    socketPath = path
    let isOurs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
    watchdogMicroseconds =
      isOurs ? environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil } : nil
  }

  /// Sends a state such as `READY=1`. False if sending failed.
  @discardableResult
  func send(_ state: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var path = Array(socketPath.utf8)
    // An abstract socket's name begins with a zero byte.
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + path.count } ?? 0)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(state.utf8)
    let sent = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, size)
      }
    }
    return sent == bytes.count
  }
}
