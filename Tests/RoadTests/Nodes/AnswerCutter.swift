import Foundation
import Synchronization

/// A TCP proxy of this machine that can end a connection when the first byte of the answer is there: the server has done
/// what it was asked, and its client does not get to know.
final class AnswerCutter: Sendable {
  let port: Int
  private let listener: Int32
  private let state = Mutex((cuts: 0, isCutting: false))

  var cuts: Int { state.withLock { $0.cuts } }
  var cutsAnswers: Bool {
    get { state.withLock { $0.isCutting } }
    set { state.withLock { $0.isCutting = newValue } }
  }

  struct Failure: Error {}

  /// Passes connections on to a port of this machine.
  init(to target: Int) throws {
    // SOCK_STREAM and SOCK_CLOEXEC.
    let socket = Foundation.socket(AF_INET, 1 | 0x80000, 0)
    var address = Self.address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && listen(socket, 64) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    listener = socket
    Thread { [weak self] in
      while true {
        let client = accept(socket, nil, nil)
        guard client >= 0, let self else { return }
        pass(client, to: target)
      }
    }.start()
  }

  deinit { shutdown(listener, 2) }

  private func pass(_ client: Int32, to target: Int) {
    let server = socket(AF_INET, 1 | 0x80000, 0)
    var address = Self.address(port: target)
    let isConnected =
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      } == 0
    guard isConnected else {
      close(server)
      close(client)
      return
    }
    let ended = DispatchSemaphore(value: 0)
    Thread {
      Self.pump(from: client, to: server) { true }
      ended.signal()
    }.start()
    Thread {
      Self.pump(from: server, to: client) {
        self.state.withLock { state in
          if state.isCutting { state.cuts += 1 }
          return !state.isCutting
        }
      }
      ended.wait()
      close(server)
      close(client)
    }.start()
  }

  private static func pump(from source: Int32, to target: Int32, _ mayPass: () -> Bool) {
    var bytes = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(source, &bytes, bytes.count, 0)
      // MSG_NOSIGNAL
      guard count > 0, mayPass(), send(target, bytes, count, 0x4000) == count else { break }
    }
    shutdown(source, 2)
    shutdown(target, 2)
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    return address
  }
}
