import Foundation
import Synchronization
import TestSupport

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

  /// Passes connections on to a port of this machine.
  init(to target: Int) throws {
    guard let (socket, port) = TCPSocket.listening() else { throw Program.Failure(description: "no free port") }
    (listener, self.port) = (socket, port)
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
    let server = TCPSocket.open()
    guard TCPSocket.connect(server, to: target) else {
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
      guard count > 0, mayPass(), TCPSocket.write(Array(bytes[..<count]), to: target) else { break }
    }
    shutdown(source, 2)
    shutdown(target, 2)
  }
}
