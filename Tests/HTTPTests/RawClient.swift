import Glibc

/// A plain blocking TCP client that sees every byte: the independent reader of what the server writes.
final class RawClient: @unchecked Sendable {
  struct Answer: Equatable {
    var status: Int
    var head: String
    var body: String

    func header(_ name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        let sides = line.split(separator: ":", maxSplits: 1)
        if sides[0].lowercased() == name.lowercased() { return String(sides[1].drop { $0 == " " }) }
      }
      return nil
    }
  }

  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Reading gives up after `timeout` seconds.
  init(port: Int, timeout: Int = 10, from source: String? = nil) {
    // 1 is SOCK_STREAM, whose imported type depends on the C modules around it.
    let descriptor = socket(AF_INET, 1, 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var yes: Int32 = 1
    // Head and body are sent apart: without this each request waits for a delayed acknowledgement.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    if let source {
      var own = sockaddr_in()
      own.sin_family = sa_family_t(AF_INET)
      inet_pton(AF_INET, source, &own.sin_addr)
      _ = withUnsafePointer(to: &own) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    isConnected =
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      } == 0
  }

  let isConnected: Bool

  deinit { close(descriptor) }

  /// Ends what is sent; answers can still be read.
  func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Lets the connection end with a reset.
  func resetOnClose() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// False when the server has closed.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(0x4000)) }
      if sent <= 0 { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send([UInt8](text.utf8)) }

  func post(_ path: String, body: [UInt8], headers: String = "") {
    send("POST \(path) HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\(headers)\r\n")
    send(body)
  }

  func get(_ target: String, method: String = "GET", headers: String = "") {
    send("\(method) \(target) HTTP/1.1\r\nHost: t\r\n\(headers)\r\n")
  }

  /// The next answer; nil when the connection ended or nothing came in time.
  func answer(hasBody: Bool = true) -> Answer? {
    var end = 0
    while true {
      if let found = received[end...].windows(of: [13, 10, 13, 10]) { end = found; break }
      end = max(0, received.count - 3)
      if !fill() { return nil }
    }
    let head = String(decoding: received[..<end], as: UTF8.self)
    received.removeFirst(end + 4)
    let status = Int(head.split(separator: " ")[1]) ?? 0
    var answer = Answer(status: status, head: head, body: "")
    let length = hasBody && status != 100 ? answer.header("content-length").flatMap { Int($0) } ?? 0 : 0
    while received.count < length { if !fill() { return nil } }
    answer.body = String(decoding: received[..<length], as: UTF8.self)
    received.removeFirst(length)
    return answer
  }

  /// Whether the server closes (in an orderly way or not) without sending anything more.
  func isClosed() -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    return received.isEmpty && (count == 0 || (count < 0 && errno == ECONNRESET))
  }

  /// Whether nothing arrives within `milliseconds`.
  func isSilent(milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return received.isEmpty && poll(&polled, 1, milliseconds) == 0
  }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count > 0 { received += chunk[..<count] }
    return count > 0
  }
}

extension ArraySlice<UInt8> {
  /// The index at which `pattern` first stands.
  fileprivate func windows(of pattern: [UInt8]) -> Int? {
    guard count >= pattern.count else { return nil }
    return (startIndex...(endIndex - pattern.count)).first { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
  }
}
