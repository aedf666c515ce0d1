internal import CMicroHTTPD
internal import Glibc

/// The resources of a server that exist only while it runs: state, libmicrohttpd, listening socket and threads.
struct RunningServer: Sendable {
  let service: ServerState
  let daemon: Daemon
  let listening: ListeningSocket
  private var threads: [BackgroundThread] = []

  init(
    _ configuration: HTTPServer.Configuration, _ handler: any RequestHandler, _ traffic: Traffic
  ) throws(HTTPServerError) {
    plumb_return_large_blocks()
    OpenFileLimit.raise(to: configuration.connections + 1536)
    service = try ServerState(configuration, handler, traffic)
    listening = try ListeningSocket(host: configuration.host, port: configuration.port)
    do throws(HTTPServerError) {
      daemon = try Daemon(service)
    } catch {
      close(listening.descriptor)
      throw error
    }
    do throws(HTTPServerError) {
      threads.append(try Acceptor.start(service, daemon, listening: listening.descriptor))
      threads.append(try DeadlineWatch.start(service))
    } catch {
      stopAccepting()
      daemon.stop()
      throw error
    }
  }

  /// Ends the server's own threads and closes the listening socket, so that further clients are refused at once.
  func stopAccepting() {
    service.stopSignal.send()
    for thread in threads { thread.join() }
    close(listening.descriptor)
  }
}

/// The thread that ends requests beyond the deadline, and bodies that arrive too slowly. libmicrohttpd's own timeout
/// covers only silence: it does not stop a client that sends one byte a second.
///
/// Requests for which `Reply.hold` was called are not answered here: a 503 after the data were stored would make the
/// client send them again.
enum DeadlineWatch {
  /// Starts the thread, which runs until the service's stop signal.
  static func start(_ service: ServerState) throws(HTTPServerError) -> BackgroundThread {
    try BackgroundThread { run(service) }
  }

  private static func run(_ service: ServerState) {
    let configuration = service.configuration
    let deadline = configuration.requestDeadline.milliseconds
    let grace = configuration.bodyGrace.milliseconds
    while !service.stopSignal.wait(milliseconds: min(1000, max(10, min(deadline, grace) / 4))) {
      let now = SystemClock.monotonic
      let waiting = service.registry.cut(
        before: now - deadline,
        orIf: { $0.isTrickling(at: now, grace: grace, bytesPerSecond: configuration.slowestBody) },
        counting: { _ in Traffic.raise(service.traffic.closedAtDeadline) })
      for connection in waiting where !connection.isHeld {
        connection.restartClock(at: now)
        connection.answerIfSuspended { $0.late }
      }
    }
  }
}

/// The limit of open files per process. Many systems set it to 1,024, less than the connections allowed.
enum OpenFileLimit {
  /// Raises the soft limit to `count` where the hard limit allows it.
  static func raise(to count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(count) else {
      return
    }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
