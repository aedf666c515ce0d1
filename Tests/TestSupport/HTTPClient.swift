import Foundation
import Glibc

/// A blocking HTTP/1.1 client on a socket: it sees every byte, keeps its connection, and never tries again by itself. The
/// independent reader of what servers write.
public final class HTTPClient: @unchecked Sendable {
  // Invariant: used by one thread at a time.

  /// What a server answered.
  public struct Answer: Equatable, Sendable {
    public var status: Int
    public var head: String
    public var body: [UInt8]

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The first header of that name.
    public func header(_ name: String) -> String? { headers(name).first }

    /// All headers of that name.
    public func headers(_ name: String) -> [String] {
      head.components(separatedBy: "\r\n").dropFirst().compactMap { line in
        let sides = line.split(separator: ":", maxSplits: 1)
        guard sides.count == 2, sides[0].lowercased() == name.lowercased() else { return nil }
        return sides[1].trimmingCharacters(in: .whitespaces)
      }
    }
  }

  public let isConnected: Bool
  private let descriptor: Int32
  private let owner: AnyObject?
  private var received: [UInt8] = []

  /// Reading gives up after `timeout` seconds. `owner`, as a server's process, lives as long as its clients.
  public init(port: Int, timeout: Int = 60, from source: String? = nil, owner: AnyObject? = nil) {
    self.owner = owner
    descriptor = TCPSocket.open()
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var yes: Int32 = 1
    // Head and body may be sent apart: without this each request waits for a delayed acknowledgement.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    isConnected = TCPSocket.connect(descriptor, to: port, from: source)
  }

  deinit { close(descriptor) }

  /// Sends a request and reads its answer; nil when the connection broke. `Host` is added unless it is given.
  public func send(
    _ method: String, _ target: String, _ headers: [(String, String)] = [], body: String? = nil
  ) -> Answer? {
    let host = headers.contains { $0.0.lowercased() == "host" } ? "" : "Host: plumb.example\r\n"
    let lines = host + headers.map { "\($0): \($1)\r\n" }.joined()
    let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
    let isSent = write("\(method) \(target) HTTP/1.1\r\n\(lines)\(length)\r\n\(body ?? "")")
    return isSent ? finalAnswer(hasBody: method != "HEAD") : nil
  }

  /// Asks for a target.
  public func get(_ target: String, _ headers: [(String, String)] = []) -> Answer? { send("GET", target, headers) }

  /// Sends a body of bytes and reads the answer. `chunks` is the size of the chunks it is sent in, nil for none.
  public func post(
    _ body: some Sequence<UInt8>, _ headers: [(String, String)], target: String = "/v1/payloads", chunks: Int? = nil
  ) -> Answer? {
    let bytes = Array(body)
    var text = "POST \(target) HTTP/1.1\r\nHost: plumb.example\r\n"
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    text += chunks == nil ? "Content-Length: \(bytes.count)\r\n\r\n" : "Transfer-Encoding: chunked\r\n\r\n"
    guard let chunks else { return write(Array(text.utf8) + bytes) ? finalAnswer() : nil }
    var framed = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: chunks) {
      let chunk = bytes[start..<min(bytes.count, start + chunks)]
      framed += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    return write(framed + Array("0\r\n\r\n".utf8)) ? finalAnswer() : nil
  }

  /// Sends a request without waiting for its answer. `headers` are whole lines.
  public func write(_ method: String, _ target: String, body: [UInt8]? = nil, headers: String = "") {
    let length = body.map { "Content-Length: \($0.count)\r\n" } ?? ""
    write("\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(length)\(headers)\r\n")
    if let body { write(body) }
  }

  /// Sends bytes as they are; false when the server has closed.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool { TCPSocket.write(bytes, to: descriptor) }

  /// Sends text as it is; false when the server has closed.
  @discardableResult
  public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// Ends what is sent; answers can still be read.
  public func closeSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Lets the connection end with a reset.
  public func resetOnClose() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  /// The next answer, also one that says to go on; nil when the connection ended or nothing came in time.
  public func answer(hasBody: Bool = true) -> Answer? {
    var end: Int?
    var searched = 0
    while end == nil {
      end = received[searched...].firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound
      searched = max(0, received.count - 3)
      if end == nil, !fill() { return nil }
    }
    let head = String(decoding: received[..<(end ?? 0)], as: UTF8.self)
    received.removeFirst((end ?? 0) + 4)
    let words = head.split(separator: " ")
    var answer = Answer(status: words.count > 1 ? Int(words[1]) ?? 0 : 0, head: head, body: [])
    let isEmpty = !hasBody || [100, 304].contains(answer.status)
    let length = isEmpty ? 0 : answer.header("Content-Length").flatMap { Int($0) } ?? 0
    while received.count < length { if !fill() { return nil } }
    answer.body = Array(received[..<length])
    received.removeFirst(length)
    return answer
  }

  /// The next answer that does not say to go on.
  public func finalAnswer(hasBody: Bool = true) -> Answer? {
    while let answer = answer(hasBody: hasBody) { if answer.status != 100 { return answer } }
    return nil
  }

  /// All that comes until the server closes, or nothing more comes.
  public func rest() -> String {
    while fill() {}
    return String(decoding: received, as: UTF8.self)
  }

  /// Whether the server closes (in an orderly way or not) without sending anything more.
  public func isClosed() -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    return received.isEmpty && (count == 0 || (count < 0 && errno == ECONNRESET))
  }

  /// Whether nothing arrives within `milliseconds`.
  public func isSilent(milliseconds: Int32) -> Bool {
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

/// Sockets of this machine.
public enum TCPSocket {
  /// SOCK_STREAM and SOCK_CLOEXEC, whose imported types vary: not to be inherited by processes that other tests start.
  public static func open() -> Int32 { socket(AF_INET, 1 | 0x80000, 0) }

  /// A socket that takes connections at a free port; nil when there is none.
  public static func listening() -> (descriptor: Int32, port: Int)? {
    let descriptor = open()
    guard with(address("127.0.0.1", 0), { bind(descriptor, $0, $1) }), listen(descriptor, 64) == 0,
      let port = port(of: descriptor)
    else {
      close(descriptor)
      return nil
    }
    return (descriptor, port)
  }

  /// Connects to a port of this machine.
  public static func connect(_ descriptor: Int32, to port: Int, from source: String? = nil) -> Bool {
    if let source, !with(address(source, 0), { bind(descriptor, $0, $1) }) { return false }
    return with(address("127.0.0.1", port)) { Glibc.connect(descriptor, $0, $1) }
  }

  /// Sends all of it; false when the other side has closed.
  public static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      // 0x4000 is MSG_NOSIGNAL.
      let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0x4000) }
      if sent <= 0 { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  private static func address(_ text: String, _ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, text, &address.sin_addr)
    return address
  }

  private static func with(_ address: sockaddr_in, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    } == 0
  }

  private static func port(of descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
    }
    return isKnown ? Int(UInt16(bigEndian: address.sin_port)) : nil
  }
}
