internal import CMicroHTTPD
internal import Glibc

/// The parts of a server that exist while it runs.
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

  /// Closes the listening socket, so that further clients are refused at once, and ends the server's own threads.
  func stopAccepting() {
    service.stopSignal.send()
    for thread in threads { thread.join() }
    close(listening.descriptor)
  }
}
