internal import CMicroHTTPD
internal import Synchronization

// From the headers to the last byte of the body, on the connection's thread.
extension Connection {
  /// Called when the headers are complete: checks them and lets the handler decide whether to admit the request.
  func begin(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>?, target: plumb_target
  ) -> MHD_Result {
    service.inFlight.add(1, ordering: .sequentiallyConsistent)
    startClock()
    stage = .receiving
    framing = RequestFraming(connection, method: method, version: version)
    discarded = 0
    let head = RequestHead(connection, url: url, method: method, framing: framing, of: self)
    if framing.fault == nil, target == PLUMB_TARGET_WHOLE, !service.isStopping {
      return decide(connection, url, method, head)
    }
    let answers = service.handler.defaultResponses(to: head)
    if let fault = framing.fault { return answerAndClose(connection, answers.refusal(of: fault)) }
    if target == PLUMB_TARGET_MALFORMED { return answerAndClose(connection, answers.malformedTarget) }
    if target == PLUMB_TARGET_TOO_LONG { return refuse(connection, answers.targetTooLong) }
    return refuse(connection, answers.stopping)
  }

  private func decide(
    _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ head: borrowing RequestHead
  ) -> MHD_Result {
    switch service.handler.admit(head) {
    case .refuse(let response): return refuse(connection, response)
    case .askAgain(let start):
      answers = service.handler.defaultResponses(to: head)
      guard !head.isAskedAgain else { return refuse(connection, answers.busy) }
      return wait(connection, url, method, start)
    case .accept(let limit, let account, let responder):
      if let refusal = admitted(head, limit, responder) { return refuse(connection, refusal) }
      body.begin(BodyCharge(account ?? service.bodies, service))
      noteBody(0)
      phase = .receiving
      return .YES
    case .spool(let folder, let limit, let responder):
      if let refusal = admitted(head, limit, responder) { return refuse(connection, refusal) }
      guard let spool = service.spool(in: folder) else { return refuse(connection, answers.busy) }
      (self.spool, spooledBefore) = (spool, 0)
      phase = .receiving
      return .YES
    }
  }

  /// Stores the responder and the limit of the body. Returns the refusal if the announced length exceeds the limit.
  private func admitted(_ head: borrowing RequestHead, _ limit: Int, _ responder: (any Responder)?) -> Response? {
    let responder = responder ?? service.handler
    (self.limit, self.responder, answers) = (limit, responder, responder.defaultResponses)
    guard let length = framing.contentLength, length > limit else { return nil }
    return responder.refuseBody(of: head, over: limit)
  }

  /// Suspends the connection until the handler can decide. If that happens before this function returns, decides at
  /// once.
  private func wait(
    _ connection: OpaquePointer, _ url: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
    _ start: (@escaping @Sendable () -> Void) -> Void
  ) -> MHD_Result {
    phase = .deciding
    let number = exchange.withLock { $0.open() }
    start { [self] in wake(number) }
    let sleeper = SuspendedConnection(connection, of: daemon)
    let isReady = exchange.withLock { exchange in
      if case .woken = exchange.state { return true }
      service.suspended.add(1, ordering: .sequentiallyConsistent)
      exchange.state = .suspended(sleeper)
      sleeper.suspend()
      return false
    }
    return isReady ? decideAgain(connection, url: url, method: method) : .YES
  }

  /// Called when the suspended connection is resumed: the handler can decide now, or the deadline has answered.
  func decideAgain(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>
  ) -> MHD_Result {
    let answer: PreparedResponse? = exchange.withLock { exchange in
      defer { exchange.close() }
      if case .answered(let response) = exchange.state { return response } else { return nil }
    }
    if let answer {
      phase = .answering
      return queue(answer, on: connection)
    }
    var head = RequestHead(connection, url: url, method: method, framing: framing, of: self)
    head.isAskedAgain = true
    if service.isStopping { return refuse(connection, answers.stopping) }
    return decide(connection, url, method, head)
  }

  /// Called for each piece of the body.
  func receive(
    _ piece: UnsafeRawBufferPointer, on connection: OpaquePointer, url: UnsafePointer<CChar>,
    method: UnsafePointer<CChar>
  ) -> MHD_Result {
    switch phase {
    case .receiving:
      if piece.count > limit - (spool?.count ?? body.count) {
        let head = RequestHead(connection, url: url, method: method, framing: framing, of: self)
        return discard(piece.count, (responder ?? service.handler).refuseBody(of: head, over: limit))
      }
      if let spool {
        guard spool.append(piece) else { return discard(piece.count, answers.busy) }
        // A spooled body may take longer than the deadline as long as it arrives fast enough.
        if spool.count - spooledBefore >= service.configuration.slowestSpool, !isCut {
          spooledBefore = spool.count
          restartClock(at: service.now)
        }
        return .YES
      }
      if body.append(piece, announced: framing.contentLength) {
        noteBody(body.count)
        return .YES
      }
      return discard(piece.count, answers.busy)
    case .discarding, .lingering: return discard(piece.count)
    case .idle, .deciding, .answering: return .NO
    }
  }

  /// Refuses a request at its headers. A client that is still writing would see a broken pipe instead of an early
  /// answer, so the body is read first, unless the client waits for `100 Continue` or the body exceeds
  /// `refusalReadLimit`.
  private func refuse(_ connection: OpaquePointer, _ response: Response) -> MHD_Result {
    if framing.expectsContinue { return answerAndClose(connection, response) }
    ServerCounters.raise(service.traffic.refused)
    if let length = framing.contentLength, length > service.configuration.refusalReadLimit {
      return linger(response)
    }
    phase = .discarding(response)
    noteBody(0)
    return .YES
  }

  /// Answers at the headers, after which libmicrohttpd closes the connection.
  private func answerAndClose(_ connection: OpaquePointer, _ response: Response) -> MHD_Result {
    ServerCounters.raise(service.traffic.refused)
    phase = .answering
    stage = .answering
    return queue(response.native, on: connection)
  }

  /// Refuses a request in the middle of its body.
  private func discard(_ count: Int, _ response: Response) -> MHD_Result {
    ServerCounters.raise(service.traffic.refused)
    discarded = spool?.count ?? body.count
    body.settle()
    spool = nil
    phase = .discarding(response)
    return discard(count)
  }

  /// Counts bytes of a refused body. After `refusalReadLimit` bytes the client is answered; after as many more the
  /// connection is closed.
  private func discard(_ count: Int) -> MHD_Result {
    discarded += count
    noteBody(discarded)
    guard discarded > service.configuration.refusalReadLimit else { return .YES }
    guard case .discarding(let response) = phase else { return .NO }
    return linger(response)
  }

  /// Answers in the middle of the body. Because libmicrohttpd cannot queue a response there, the answer is written
  /// directly to the socket. Reading continues, because closing at once would reset the connection before the client
  /// has read the answer.
  private func linger(_ response: Response) -> MHD_Result {
    discarded = 0
    phase = .lingering
    service.traffic.count(response.status)
    return response.write(to: socket) ? .YES : .NO
  }
}
