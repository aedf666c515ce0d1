import Dispatch
import Glibc
import Synchronization
import TestSupport

@testable import Web

/// A handler made of closures, on a server with port 0.
final class Scene: Sendable {
  let server: HTTPServer
  var port: Int { server.port }

  init(
    limit: Int = 1 << 20, configure change: (inout HTTPServer.Configuration) -> Void = { _ in },
    admit: (@Sendable (borrowing RequestHead) -> Admission)? = nil,
    _ respond: @escaping @Sendable (borrowing Request, PendingReply) -> Void
  ) throws {
    var configuration = HTTPServer.Configuration()
    change(&configuration)
    server = HTTPServer(
      configuration: configuration, handler: Handler(limit: limit, decide: admit, answer: respond))
    try server.start()
  }

  func connect() -> HTTPClient { HTTPClient(port: port, timeout: 10) }

  deinit { server.stop {} }

  private struct Handler: RequestHandler {
    let limit: Int
    let decide: (@Sendable (borrowing RequestHead) -> Admission)?
    let answer: @Sendable (borrowing Request, PendingReply) -> Void
    func admit(_ head: borrowing RequestHead) -> Admission { decide?(head) ?? .accept(bodyLimit: limit) }
    func respond(to request: borrowing Request, _ reply: PendingReply) { answer(request, reply) }
  }
}

/// A clock that only the test moves, so that no deadline passes because the machine is busy.
final class ManualClock: Sendable {
  private let time = Atomic<Int64>(1_000_000)

  func advance(milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }

  /// Makes the server use this clock. Deadlines are looked at every 10 ms.
  func configure(_ configuration: inout HTTPServer.Configuration, deadline: Duration = .milliseconds(40)) {
    configuration.requestDeadline = deadline
    configuration.clock = { [self] in time.load(ordering: .relaxed) }
  }
}

/// Replies kept for later, as a writer thread would keep them.
final class Kept: Sendable {
  private let replies = Mutex<[PendingReply]>([])
  func add(_ reply: PendingReply) { replies.withLock { $0.append(reply) } }
  func take() -> [PendingReply] {
    replies.withLock { kept in
      defer { kept = [] }; return kept
    }
  }
  var count: Int { replies.withLock { $0.count } }

  func wait(for count: Int) -> Bool { eventually { self.count >= count } }
}

/// Keeps the thread that handles a request to `/wait` busy, so that other clients' data arrive meanwhile.
final class BusyThread: Sendable {
  private let isBusy = Atomic<Bool>(false)
  private let mayContinue = DispatchSemaphore(value: 0)

  /// Called by the handler. Returns at once for other paths.
  func handle(_ request: borrowing Request) {
    guard request.head.path == "/wait" else { return }
    isBusy.store(true, ordering: .sequentiallyConsistent)
    mayContinue.wait()
  }

  func waitUntilBusy() -> Bool { eventually { self.isBusy.load(ordering: .sequentiallyConsistent) } }
  func release() { mayContinue.signal() }
}

func echo(_ request: borrowing Request, _ reply: PendingReply) {
  reply.send(.text(String(decoding: request.body, as: UTF8.self)))
}
