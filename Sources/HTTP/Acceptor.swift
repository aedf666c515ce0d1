internal import CMicroHTTPD
internal import Glibc

/// Accepts connections and hands them to libmicrohttpd's threads in turn.
///
/// libmicrohttpd can accept by itself, but its `MHD_quiesce_daemon` (0.9.75) races with its own threads over the
/// listening socket in their epoll sets, and aborts the process when it loses. This thread quiesces by ending. It
/// also spreads connections evenly: threads that share a listening socket can end up with all or none of them.
enum Acceptor {
  /// The thread ends with the service's stop signal.
  static func start(
    _ service: Service, _ daemon: Daemon, listening: Int32
  ) throws(HTTPServerError) -> BackgroundThread {
    try BackgroundThread { run(service, daemon, listening) }
  }

  private static func run(_ service: Service, _ daemon: Daemon, _ listening: Int32) {
    let limit = service.configuration.connections
    while true {
      let full = service.registry.count >= limit
      let waiting = full ? -1 : listening
      if service.stopSignal.wait(orReadable: waiting, milliseconds: full ? 10 : 60_000) { return }
      if service.registry.count < limit { accept(service, daemon, listening, limit) }
    }
  }

  /// Takes what waits, at most 64 at a time so that the limit is looked at again.
  private static func accept(_ service: Service, _ daemon: Daemon, _ listening: Int32, _ limit: Int) {
    for _ in 0..<min(64, max(1, limit - service.registry.count)) {
      let socket = plumb_accept(listening)
      if socket >= 0 {
        daemon.adopt(socket)
      } else if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) {
        // Nothing can be accepted before something is closed; the connection keeps waiting in the system's queue.
        _ = service.stopSignal.wait(milliseconds: 50)
        return
      } else if errno != ECONNABORTED && errno != EINTR {
        return
      }
    }
  }
}
