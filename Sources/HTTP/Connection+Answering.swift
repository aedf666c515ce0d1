internal import CMicroHTTPD
internal import Synchronization

// From the end of the body to the answer.
extension Connection: ReplyDestination {
  /// The request is complete, or its connection was resumed with an answer.
  func complete(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>
  ) -> MHD_Result {
    switch phase {
    case .receiving:
      phase = .answering
      // What is done with so much takes its time, too.
      if spool != nil, began != .max { restartClock(at: SystemClock.monotonic) }
      guard service.enter() else { return queue(answers.stopping.native, on: connection) }
      defer { service.leave() }
      respond(RequestHead(connection, url: url, method: method, framing: framing))
      body.release(to: service.share)
      spool = nil
      return queueOrSuspend(connection)
    case .discarding(let response):
      phase = .answering
      return queue(response.native, on: connection)
    case .answering: return queueOrSuspend(connection)
    case .lingering, .idle: return .NO
    }
  }

  func queue(_ response: PreparedResponse, on connection: OpaquePointer) -> MHD_Result {
    service.traffic.count(response.status)
    return response.queue(on: connection)
  }

  /// Lends the request to the handler. The `Reply` ends with this function unless the handler keeps it.
  @inline(never)
  private func respond(_ head: consuming RequestHead) {
    let number = exchange.withLock {
      $0.number &+= 1
      $0.state = .open
      return $0.number
    }
    var head = Optional(head)
    body.withPaddedBytes { bytes in
      guard let head = head.take() else { return }
      let request = Request(head: head, body: bytes, received: SystemClock.wall, spooled: spool)
      service.handler.respond(to: request, Reply(self, exchange: number))
    }
  }

  private func queueOrSuspend(_ connection: OpaquePointer) -> MHD_Result {
    let sleeper = SuspendedConnection(connection)
    let answer: PreparedResponse? = exchange.withLock {
      if case .answered(let response) = $0.state {
        $0.state = .closed
        return response
      }
      // Under the lock, so that no thread can resume it before it is suspended.
      service.suspended.add(1, ordering: .sequentiallyConsistent)
      $0.state = .suspended(sleeper)
      sleeper.suspend()
      return nil
    }
    guard let answer else { return .YES }
    return queue(answer, on: connection)
  }

  func answer(_ response: Response, to number: UInt64) {
    settle(response.native) { $0.number == number }
  }

  func abandon(_ number: UInt64) {
    let owed: ServerAnswers? = exchange.withLock {
      switch $0.state {
      case .open, .suspended: $0.number == number ? answers : nil
      case .closed, .answered: nil
      }
    }
    if let owed { answer(owed.unanswered, to: number) }
  }

  var isSuspended: Bool {
    exchange.withLock { if case .suspended = $0.state { true } else { false } }
  }

  /// Answers for the handler: at the deadline, and when the server stops.
  func answerIfSuspended(_ choice: (ServerAnswers) -> Response) {
    let owed: ServerAnswers? = exchange.withLock { if case .suspended = $0.state { answers } else { nil } }
    guard let owed else { return }
    settle(choice(owed).native) { if case .suspended = $0.state { true } else { false } }
  }

  /// Leaves the answer and wakes the connection if it sleeps. It is resumed outside the lock: its thread takes the lock
  /// as soon as it wakes. Until it is resumed it cannot go away, and afterwards it is not touched.
  private func settle(_ response: PreparedResponse, _ isOwed: (Exchange) -> Bool) {
    let sleeping: SuspendedConnection? = exchange.withLock {
      guard isOwed($0) else { return nil }
      switch $0.state {
      case .open:
        $0.state = .answered(response)
        return nil
      case .suspended(let connection):
        $0.state = .answered(response)
        return connection
      case .closed, .answered: return nil
      }
    }
    guard let sleeping else { return }
    sleeping.resume()
    service.suspended.subtract(1, ordering: .sequentiallyConsistent)
  }
}
