internal import CMicroHTTPD
internal import Synchronization

// From the headers to the end of the body, on the connection's own thread.
extension Connection {
  /// The headers are complete.
  func begin(
    _ connection: OpaquePointer, url: UnsafePointer<CChar>, method: UnsafePointer<CChar>
  ) -> MHD_Result {
    service.inFlight.add(1, ordering: .sequentiallyConsistent)
    startClock()
    framing = Framing(connection)
    discarded = 0
    let head = RequestHead(connection, url: url, method: method, framing: framing)
    answers = service.handler.serverAnswers(to: head)
    if let fault = framing.fault {
      return answerAndClose(connection, fault == .unknownCoding ? answers.unknownCoding : answers.ambiguousLength)
    }
    if service.isStopping { return refuse(connection, answers.stopping) }
    switch service.handler.admit(head) {
    case .refuse(let response): return refuse(connection, response)
    case .accept(let limit):
      if let length = framing.contentLength, length > limit {
        return refuse(connection, service.handler.refuseBody(of: head, over: limit))
      }
      self.limit = limit
      phase = .receiving
      return .YES
    case .spool(let folder, let limit):
      if let length = framing.contentLength, length > limit {
        return refuse(connection, service.handler.refuseBody(of: head, over: limit))
      }
      guard let spool = service.spool(in: folder) else { return refuse(connection, answers.busy) }
      (self.spool, spooledBefore, self.limit) = (spool, 0, limit)
      phase = .receiving
      return .YES
    }
  }

  /// A piece of the body.
  func receive(
    _ piece: UnsafeRawBufferPointer, on connection: OpaquePointer, url: UnsafePointer<CChar>,
    method: UnsafePointer<CChar>
  ) -> MHD_Result {
    switch phase {
    case .receiving:
      if piece.count > limit - (spool?.count ?? body.count) {
        let head = RequestHead(connection, url: url, method: method, framing: framing)
        return discard(piece.count, service.handler.refuseBody(of: head, over: limit))
      }
      if let spool {
        guard spool.append(piece) else { return discard(piece.count, answers.busy) }
        // As long as enough comes, it may go on.
        if spool.count - spooledBefore >= service.configuration.slowestSpool, began != .max {
          spooledBefore = spool.count
          restartClock(at: SystemClock.monotonic)
        }
        return .YES
      }
      if body.append(piece, announced: framing.contentLength, share: service.share) { return .YES }
      return discard(piece.count, answers.busy)
    case .discarding, .lingering: return discard(piece.count)
    case .idle, .answering: return .NO
    }
  }

  /// Refuses at the headers. An early answer reaches a client that is still writing as a broken pipe, so the body is
  /// read first, unless the client waits to be asked for it or it is too long to read for nothing.
  private func refuse(_ connection: OpaquePointer, _ response: Response) -> MHD_Result {
    if framing.expectsContinue { return answerAndClose(connection, response) }
    Traffic.raise(service.traffic.refused)
    if let length = framing.contentLength, length > service.configuration.refusalReadLimit {
      return linger(response)
    }
    phase = .discarding(response)
    return .YES
  }

  /// libmicrohttpd closes a connection that is answered at the headers.
  private func answerAndClose(_ connection: OpaquePointer, _ response: Response) -> MHD_Result {
    Traffic.raise(service.traffic.refused)
    phase = .answering
    return queue(response.native, on: connection)
  }

  /// Refuses in the middle of the body.
  private func discard(_ count: Int, _ response: Response) -> MHD_Result {
    Traffic.raise(service.traffic.refused)
    discarded = spool?.count ?? body.count
    body.release(to: service.share)
    spool = nil
    phase = .discarding(response)
    return discard(count)
  }

  /// Counts a piece that is thrown away. Once over the limit the client is answered, and once over it again, closed.
  private func discard(_ count: Int) -> MHD_Result {
    discarded += count
    guard discarded > service.configuration.refusalReadLimit else { return .YES }
    guard case .discarding(let response) = phase else { return .NO }
    return linger(response)
  }

  /// Answers and closes in the middle of the body, where libmicrohttpd queues nothing: the answer is written straight
  /// to the socket. Closing at once would reset the connection and take the answer with it, so reading goes on.
  private func linger(_ response: Response) -> MHD_Result {
    discarded = 0
    phase = .lingering
    service.traffic.count(response.status)
    return response.write(to: socket) ? .YES : .NO
  }
}
