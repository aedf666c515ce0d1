#if os(Linux)
  import Foundation
  import Glibc

  /// A server that answers every request with 308 and an address.
  final class Redirector: @unchecked Sendable {
    let address: URL
    private let descriptor: Int32
    private let lock = NSLock()
    // Invariant: used with `lock` held.
    private var count = 0

    init(to target: String) throws {
      let (descriptor, port) = try PlumbServer.boundSocket()
      guard listen(descriptor, 16) == 0, let address = URL(string: "http://127.0.0.1:\(port)") else {
        throw PlumbServer.Failure(text: "no socket")
      }
      self.descriptor = descriptor
      self.address = address
      Thread.detachNewThread { [weak self] in
        while true {
          let connection = accept(descriptor, nil, nil)
          guard connection >= 0 else { return }
          Self.answer(connection, target)
          self?.counted()
        }
      }
    }

    deinit {
      shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }

    /// The number of answered requests.
    var requests: Int { lock.withLock { count } }

    private func counted() { lock.withLock { count += 1 } }

    /// Reads the head and the body, because a client may ignore an answer that comes before it has sent everything.
    private static func answer(_ connection: Int32, _ target: String) {
      defer { close(connection) }
      var text = ""
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while true {
        let parts = text.components(separatedBy: "\r\n\r\n")
        let length = parts[0].components(separatedBy: "\r\n").compactMap { line -> Int? in
          line.lowercased().hasPrefix("content-length:") ? Int(line.dropFirst(15).filter { $0 != " " }) : nil
        }
        if parts.count > 1, parts[1].utf8.count >= length.first ?? 0 { break }
        let read = recv(connection, &bytes, bytes.count, 0)
        guard read > 0 else { return }
        text += String(decoding: bytes.prefix(read), as: UTF8.self)
      }
      let answer =
        "HTTP/1.1 308 Permanent Redirect\r\nLocation: \(target)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      _ = answer.withCString { Glibc.send(connection, $0, answer.utf8.count, Int32(MSG_NOSIGNAL)) }
    }
  }
#endif
