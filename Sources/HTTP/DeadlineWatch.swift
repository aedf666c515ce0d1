/// Ends requests that take longer than the deadline. libmicrohttpd's timeout is for silence: it does not stop a client
/// that sends one byte a second.
enum DeadlineWatch {
  /// The thread ends with the service's stop signal.
  static func start(_ service: Service) throws(HTTPServerError) -> BackgroundThread {
    try BackgroundThread { run(service) }
  }

  private static func run(_ service: Service) {
    let deadline = service.configuration.requestDeadline.milliseconds
    while !service.stopSignal.wait(milliseconds: min(1000, max(10, deadline / 4))) {
      let now = SystemClock.monotonic
      let waiting = service.registry.cut(before: now - deadline) { _ in
        Traffic.raise(service.traffic.closedAtDeadline)
      }
      for connection in waiting {
        connection.restartClock(at: now)
        connection.answerIfSuspended { $0.late }
      }
    }
  }
}
