internal import CMicroHTTPD
internal import Glibc

/// The resources of a server that exist only while it runs: state, libmicrohttpd, listening socket and threads.
struct RunningServer: Sendable {
  let service: SharedServerState
  private var daemons: [MicroHTTPDaemon] = []
  let listening: ListeningSocket
  private var threads: [BackgroundThread] = []

  init(
    _ configuration: HTTPServer.Configuration, _ handler: any RequestHandler, _ traffic: ServerCounters
  ) throws(HTTPServerError) {
    plumb_keep_little_freed_memory()
    let files = OpenFileLimit.raise(to: configuration.connections + 1536)
    var configuration = configuration
    configuration.connections = OpenFileLimit.connections(configuration.connections, within: files)
    service = try SharedServerState(configuration, handler, traffic)
    listening = try ListeningSocket(host: configuration.host, port: configuration.port)
    do throws(HTTPServerError) {
      for _ in 0..<min(256, max(1, configuration.threads)) { daemons.append(try MicroHTTPDaemon(service)) }
      threads.append(try Acceptor.start(service, daemons, listening: listening.descriptor))
      threads.append(try DeadlineWatch.start(service))
    } catch {
      stopAccepting()
      closeConnections()
      throw error
    }
  }

  /// Ends the server's threads and closes the listening socket, so that further clients are refused at once.
  func stopAccepting() {
    service.stopSignal.send()
    for thread in threads { thread.join() }
    close(listening.descriptor)
  }

  /// Closes all connections, of which none may be suspended.
  func closeConnections() {
    for daemon in daemons { daemon.stop() }
  }
}

/// The limit of open files per process. Many systems set it to 1,024, which is less than the allowed connections.
enum OpenFileLimit {
  /// Raises the soft limit to `count` as far as the hard limit allows, and returns the resulting limit.
  static func raise(to count: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    if limit.rlim_cur < rlim_t(count) {
      let before = limit.rlim_cur
      limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = before }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// The number of connections that fit into the limit, after the open descriptors and a reserve for databases, bodies
  /// and messages. At least a few; their most idle connection is closed for the next.
  static func connections(_ wanted: Int, within files: Int) -> Int {
    min(wanted, max(fewest, files - open - spare))
  }

  private static let fewest = 4
  /// The reserve of descriptors that the program opens while it runs: database readers and logs, spooled bodies,
  /// messages.
  private static let spare = 24

  /// The number of open descriptors of the process.
  private static var open: Int {
    guard let folder = opendir("/proc/self/fd") else { return 64 }
    defer { closedir(folder) }
    var count = -3
    while readdir(folder) != nil { count += 1 }
    return max(0, count)
  }
}
