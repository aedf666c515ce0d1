import Foundation

/// A blocking HTTP/1.1 client on a socket: it sees every byte, keeps its connection, and never tries again by itself.
final class Client: @unchecked Sendable {
  // Invariant: used by one thread at a time.
  struct Answer {
    var status: Int
    var head: String
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The first header of that name.
    func header(_ name: String) -> String? { headers(name).first }

    func headers(_ name: String) -> [String] {
      head.components(separatedBy: "\r\n").dropFirst().compactMap { line in
        let sides = line.split(separator: ":", maxSplits: 1)
        guard sides.count == 2, sides[0].lowercased() == name.lowercased() else { return nil }
        return sides[1].trimmingCharacters(in: .whitespaces)
      }
    }
  }

  let isConnected: Bool
  private let descriptor: Int32
  /// Lives as long as its clients.
  private let server: ServerProcess?
  private var received: [UInt8] = []

  /// Reading gives up after `timeout` seconds.
  init(port: Int, timeout: Int = 60, server: ServerProcess? = nil) {
    self.server = server
    // SOCK_STREAM and SOCK_CLOEXEC, whose imported types vary: not to be inherited by processes that other tests start.
    descriptor = socket(AF_INET, 1 | 0x80000, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let descriptor = self.descriptor
    isConnected =
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      } == 0
  }

  deinit { close(descriptor) }

  /// Sends a request and reads its answer; nil when the connection broke. `Host` is added unless it is given.
  func send(
    _ method: String, _ target: String, _ headers: [(String, String)] = [], body: String? = nil
  ) -> Answer? {
    var text = "\(method) \(target) HTTP/1.1\r\n"
    if !headers.contains(where: { $0.0.lowercased() == "host" }) { text += "Host: plumb.example\r\n" }
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    text += "\r\n" + (body ?? "")
    return write(Array(text.utf8)) ? answer(hasBody: method != "HEAD") : nil
  }

  func get(_ target: String, _ headers: [(String, String)] = []) -> Answer? { send("GET", target, headers) }

  /// MSG_NOSIGNAL
  private var noSignal: Int32 { 0x4000 }

  /// False when the server has closed.
  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, noSignal) }
      if sent <= 0 { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  /// The next answer; nil when the connection ended or nothing came in time.
  func answer(hasBody: Bool = true) -> Answer? {
    var end: Int?
    while end == nil {
      end = received.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound
      if end == nil, !fill() { return nil }
    }
    let head = String(decoding: received[..<(end ?? 0)], as: UTF8.self)
    received.removeFirst((end ?? 0) + 4)
    let words = head.split(separator: " ")
    var answer = Answer(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, head: head, body: [])
    if answer.status == 100 { return self.answer(hasBody: hasBody) }
    let isEmpty = !hasBody || answer.status == 304
    let length = isEmpty ? 0 : answer.header("Content-Length").flatMap { Int($0) } ?? 0
    while received.count < length { if !fill() { return nil } }
    answer.body = Array(received[..<length])
    received.removeFirst(length)
    return answer
  }

  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count > 0 { received += chunk[..<count] }
    return count > 0
  }
}
