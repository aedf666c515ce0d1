/// The thread that ends requests after their deadline, bodies that arrive too slowly, and requests whose client has
/// disconnected. libmicrohttpd's timeout covers only silence; it does not stop a client that sends one byte per second.
///
/// Requests with `PendingReply.hold` are not answered here, because a 503 after the data were stored would make the
/// client send them again.
enum DeadlineWatch {
  /// Starts the thread, which runs until the service's stop signal.
  static func start(_ service: SharedServerState) throws(HTTPServerError) -> BackgroundThread {
    try BackgroundThread { run(service) }
  }

  private static func run(_ service: SharedServerState) {
    let configuration = service.configuration
    let deadline = configuration.requestDeadline.milliseconds
    let grace = configuration.bodyGrace.milliseconds
    while !service.stopSignal.wait(milliseconds: min(250, max(10, min(deadline, grace) / 4))) {
      let now = service.now
      service.registry.cutAbandoned()
      let waiting = service.registry.cut(
        before: now - deadline,
        orIf: { $0.isTrickling(at: now, grace: grace, bytesPerSecond: configuration.slowestBody) },
        counting: { _ in ServerCounters.raise(service.traffic.closedAtDeadline) })
      for connection in waiting where !connection.isHeld {
        connection.restartClock(at: now)
        connection.answerIfSuspended { $0.late }
      }
    }
  }
}
