internal import CMicroHTTPD
internal import Synchronization

// From the last byte of the body to the answer.
extension Connection: ReplyDestination {
  /// Called when the body is complete; again at once, if the request was not answered then; and again when the suspended
  /// connection is resumed with its answer.
  ///
  /// The connection is suspended only at the second call. If it is suspended at the first, libmicrohttpd (0.9.75) reads
  /// from the socket after it is resumed, and closes the connection without the answer if the client has closed its
  /// sending side.
  func complete(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>
  ) -> MHD_Result {
    switch phase {
    case .deciding: return decideAgain(connection, url: url, method: method)
    case .receiving:
      phase = .answering
      stage = .answering
      endBody()
      // Processing a spooled body takes additional time, so the deadline restarts.
      if spool != nil, !isCut { restartClock(at: service.now) }
      guard service.enter() else { return queue(answers.stopping.native, on: connection) }
      hasEntered = true
      respond(RequestHead(connection, url: url, method: method, framing: framing, of: self))
      body.release()
      spool = nil
      guard let answer = takeAnswer() else { return .YES }
      leave()
      return queue(answer, on: connection)
    case .discarding(let response):
      phase = .answering
      stage = .answering
      endBody()
      return queue(response.native, on: connection)
    case .answering:
      defer { leave() }
      return queueOrSuspend(connection)
    case .lingering, .idle: return .NO
    }
  }

  func queue(_ response: PreparedResponse, on connection: OpaquePointer) -> MHD_Result {
    // Release memory before sending the answer, because the client's next request may need it.
    body.settle()
    service.traffic.count(response.status)
    return response.queue(on: connection)
  }

  /// Passes the request to the responder. The `PendingReply` is released when this function returns, unless the
  /// responder keeps it.
  @inline(never)
  private func respond(_ head: consuming RequestHead) {
    let number = exchange.withLock { $0.open() }
    let request = Request(
      head: head, body: body.padded(), received: service.configuration.wall(), spooled: spool, connection: self)
    (responder ?? service.handler).respond(to: request, PendingReply(self, exchange: number))
  }

  /// Allows the server to stop, now that this request is suspended or answered.
  func leave() {
    if hasEntered { service.leave() }
    hasEntered = false
  }

  private func takeAnswer() -> PreparedResponse? {
    exchange.withLock {
      guard case .answered(let response) = $0.state else { return nil }
      $0.state = .closed
      return response
    }
  }

  private func queueOrSuspend(_ connection: OpaquePointer) -> MHD_Result {
    let sleeper = SuspendedConnection(connection, of: daemon)
    let answer: PreparedResponse? = exchange.withLock {
      if case .answered(let response) = $0.state {
        $0.state = .closed
        return response
      }
      // Under the lock, so that no thread can resume the connection before it is suspended.
      service.suspended.add(1, ordering: .sequentiallyConsistent)
      $0.state = .suspended(sleeper)
      sleeper.suspend()
      return nil
    }
    guard let answer else { return .YES }
    return queue(answer, on: connection)
  }

  func answer(_ response: Response, to number: UInt64) {
    settle(service.configuration.mountPath.applied(to: response).native) { $0.number == number }
  }

  func abandon(_ number: UInt64) {
    let owed: DefaultResponses? = exchange.withLock {
      switch $0.state {
      case .open, .suspended: $0.number == number ? answers : nil
      case .closed, .answered, .woken: nil
      }
    }
    if let owed { answer(owed.unanswered, to: number) }
  }

  func hold(_ number: UInt64) {
    exchange.withLock { if $0.number == number { $0.isHeld = true } }
  }

  func isOwed(_ number: UInt64) -> Bool {
    exchange.withLock {
      switch $0.state {
      case .open, .suspended: $0.number == number
      case .closed, .answered, .woken: false
      }
    }
  }

  var isHeld: Bool { exchange.withLock { $0.isHeld } }

  var isSuspended: Bool {
    exchange.withLock { if case .suspended = $0.state { true } else { false } }
  }

  /// Answers with one of the default responses if the connection is suspended: at the deadline, and when the server
  /// stops.
  func answerIfSuspended(_ choice: (DefaultResponses) -> Response) {
    let owed: DefaultResponses? = exchange.withLock { if case .suspended = $0.state { answers } else { nil } }
    guard let owed else { return }
    settle(choice(owed).native) { if case .suspended = $0.state { true } else { false } }
  }

  /// Resumes a connection that was suspended by `Admission.askAgain`.
  func wake(_ number: UInt64) {
    let sleeping: SuspendedConnection? = exchange.withLock {
      guard $0.number == number else { return nil }
      switch $0.state {
      case .open:
        $0.state = .woken
        return nil
      case .suspended(let connection):
        $0.state = .woken
        return connection
      case .closed, .answered, .woken: return nil
      }
    }
    guard let sleeping else { return }
    sleeping.resume()
    service.suspended.subtract(1, ordering: .sequentiallyConsistent)
  }

  /// Stores the answer and resumes the connection if it is suspended. It is resumed outside the lock, because its
  /// thread takes the lock at once. A suspended connection cannot be freed; after resuming it, this function does not
  /// use it.
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
      case .closed, .answered, .woken: return nil
      }
    }
    guard let sleeping else { return }
    sleeping.resume()
    service.suspended.subtract(1, ordering: .sequentiallyConsistent)
  }
}
