import Foundation
import Glibc
import Synchronization

/// A receiver of HTTP made of plain sockets: it takes requests and answers as it is told.
public final class Sink: Sendable {
  public enum Answer: Sendable {
    case status(Int, headers: [String] = [], body: String = "")
    /// Nothing for so many seconds, then 200.
    case late(Double)
    /// The connection ends without an answer.
    case close
    /// 200 without a body, after which the connection stays open for the next request.
    case stayOpen
    /// 200 with a body that goes on for so many bytes.
    case endless(Int)
  }

  public struct Request: Sendable {
    public var head: String
    public var body: [UInt8]

    public func header(_ name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() {
        let sides = line.split(separator: ":", maxSplits: 1)
        if sides[0].lowercased() == name.lowercased() { return String(sides[1].drop { $0 == " " }) }
      }
      return nil
    }
  }

  public let port: Int
  private let listening: Int32
  private let state = Mutex<(requests: [Request], connections: Int)>(([], 0))
  private let answer: @Sendable (Int, Request) -> Answer

  /// `answer` is asked with the number of the request, from 0.
  public init(_ answer: @escaping @Sendable (Int, Request) -> Answer) {
    self.answer = answer
    guard let (listening, port) = TCPSocket.listening() else { fatalError("no free port for a test's receiver") }
    (self.listening, self.port) = (listening, port)
    _ = Crew(1) { [weak self] _ in
      // Closed here and not in `deinit`: another receiver may get the same descriptor while this thread still accepts.
      defer { Glibc.close(listening) }
      while true {
        let connection = accept(listening, nil, nil)
        guard connection >= 0 else { break }
        guard let self else {
          Glibc.close(connection)
          break
        }
        _ = Crew(1) { _ in self.serve(connection) }
      }
    }
  }

  public var address: String { "http://127.0.0.1:\(port)/hook" }
  public var requests: [Request] { state.withLock { $0.requests } }
  public var connections: Int { state.withLock { $0.connections } }

  deinit { shutdown(listening, Int32(SHUT_RDWR)) }

  private func serve(_ connection: Int32) {
    defer { Glibc.close(connection) }
    state.withLock { $0.connections += 1 }
    while let request = Self.read(connection) {
      let number = state.withLock { state in
        state.requests.append(request)
        return state.requests.count - 1
      }
      let answer = answer(number, request)
      Self.send(answer, connection)
      guard case .stayOpen = answer else { return }
    }
  }

  private static func send(_ answer: Answer, _ connection: Int32) {
    switch answer {
    case .close: return
    case .stayOpen: write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", connection)
    case .late(let seconds):
      usleep(UInt32(seconds * 1_000_000))
      write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", connection)
    case .status(let status, let headers, let body):
      let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.utf8.count)", "Connection: close"] + headers
      write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body, connection)
    case .endless(let count):
      write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\nConnection: close\r\n\r\n", connection)
      for _ in 0..<(count / 4096) where !write(String(repeating: "z", count: 4096), connection) { return }
    }
  }

  private static func read(_ connection: Int32) -> Request? {
    var bytes: [UInt8] = []
    while true {
      var chunk = [UInt8](repeating: 0, count: 65536)
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
      let text = String(decoding: bytes, as: UTF8.self)
      guard let end = text.range(of: "\r\n\r\n") else { continue }
      let request = Request(head: String(text[..<end.lowerBound]), body: [])
      let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
      let size = text[..<end.upperBound].utf8.count
      if bytes.count >= size + length { return Request(head: request.head, body: Array(bytes[size...])) }
    }
  }

  @discardableResult
  private static func write(_ text: String, _ connection: Int32) -> Bool {
    TCPSocket.write(Array(text.utf8), to: connection)
  }
}
