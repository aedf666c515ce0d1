internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// The thread that accepts connections and hands each to the libmicrohttpd instance with the fewest connections.
///
/// libmicrohttpd can accept connections, but threads that share a listening socket can get all or none of them. With
/// this thread, accepting also stops when the thread ends.
enum Acceptor {
  /// Starts the thread, which runs until the service's stop signal.
  static func start(
    _ service: SharedServerState, _ daemons: [MicroHTTPDaemon], listening: Int32
  ) throws(HTTPServerError) -> BackgroundThread {
    try BackgroundThread { run(service, daemons, listening) }
  }

  /// The maximum number of connections that are accepted or evicted before the limits are checked again.
  private static let batch = 64

  private static func run(_ service: SharedServerState, _ daemons: [MicroHTTPDaemon], _ listening: Int32) {
    let registry = service.registry
    let limit = service.configuration.connections
    while true {
      if service.stopSignal.wait(orReadable: listening, milliseconds: 60_000) { return }
      if registry.live >= limit {
        let evicted = registry.makeRoom(min(batch, max(1, limit / 8)))
        count(evicted, service)
        // All connections are waiting for an answer or are not open yet, so new ones stay in the kernel's backlog.
        if evicted == 0, service.stopSignal.wait(milliseconds: registry.isOpening ? 1 : 10) { return }
        if evicted == 0 { continue }
      }
      accept(service, daemons, listening, min(batch, max(1, limit - registry.live)))
    }
  }

  /// Accepts up to `most` waiting connections.
  private static func accept(
    _ service: SharedServerState, _ daemons: [MicroHTTPDaemon], _ listening: Int32, _ most: Int
  ) {
    for _ in 0..<most {
      var address = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let socket = plumb_accept(listening, &address, &size)
      if socket >= 0 {
        let network = service.limitedNetwork(of: ClientAddress(address))
        if hasRoom(for: network, service) {
          daemons.min { $0.connections < $1.connections }?.adopt(socket, address, size, of: network)
        } else {
          ServerCounters.raise(service.traffic.refusedConnections)
          close(socket)
        }
      } else if [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) {
        // No descriptor is free, so the connection stays in the kernel's backlog.
        count(service.registry.makeRoom(batch), service)
        _ = service.stopSignal.wait(milliseconds: 50)
        return
      } else if errno != ECONNABORTED && errno != EINTR {
        return
      }
    }
  }

  /// Whether an address may open one more connection. At its limit, its most idle connections are closed first.
  private static func hasRoom(for network: ClientAddress?, _ service: SharedServerState) -> Bool {
    guard let network else { return true }
    let limit = service.configuration.connectionsPerAddress
    let open = service.registry.count(of: network)
    guard open >= limit else { return true }
    let evicted = service.registry.makeRoom(in: network, max(1, min(batch, limit / 16)))
    count(evicted, service)
    // Connections that are not open yet cannot be closed, so up to twice the limit is allowed until then.
    return evicted > 0 || open < 2 * limit && service.registry.isOpening
  }

  private static func count(_ evicted: Int, _ service: SharedServerState) {
    service.traffic.evicted.add(evicted, ordering: .relaxed)
  }
}
