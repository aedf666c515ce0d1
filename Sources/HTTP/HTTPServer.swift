internal import Synchronization

/// An HTTP/1.1 server on libmicrohttpd.
///
///     let server = HTTPServer(configuration: .init(host: "127.0.0.1", port: 8080), handler: routes)
///     try server.start()
///     …
///     server.stop { journal.drain() }
///
/// Without a call of `stop`, the server stops when it is let go of.
public final class HTTPServer: Sendable {
  private let configuration: Configuration
  private let handler: any RequestHandler
  private let state = Mutex<RunningServer?>(nil)
  let traffic = Traffic()

  /// A server that does not listen yet.
  public init(configuration: Configuration, handler: any RequestHandler) {
    self.configuration = configuration
    self.handler = handler
  }

  deinit { stop {} }

  /// The port the server listens on, 0 while it does not.
  public var port: Int { state.withLock { $0?.listening.port ?? 0 } }

  var running: ServerState? { state.withLock { $0?.service } }

  /// Starts to listen and to serve, on threads of its own. Does nothing when already running. Raises the process's
  /// limit of open files to what the connections need, as far as the system lets it, and has large blocks of its memory
  /// go back to the system when they are freed.
  public func start() throws(HTTPServerError) {
    let failure: HTTPServerError? = state.withLock { running in
      do throws(HTTPServerError) {
        if running == nil { running = try RunningServer(configuration, handler, traffic) }
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Stops without losing an answer: accepts nothing more and refuses further requests with 503, calls `drain`, in
  /// which the program finishes the requests it has taken, answers 503 to what is then still unanswered, waits until
  /// all answers are sent, at most for `stopGrace`, and closes every connection. Does nothing when not running.
  public func stop(drain: () -> Void) {
    guard let running = state.withLock({ $0.take() }) else { return }
    let service = running.service
    running.stopAccepting()
    service.refuseFurtherRequests()
    drain()
    service.answerSuspended()
    service.waitUntilSent()
    running.daemon.stop()
  }
}
