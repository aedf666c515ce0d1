import CMicroHTTPD
import Glibc
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd.
///
///     let server = HTTPServer(configuration: .init(host: "127.0.0.1", port: 8080), handler: routes)
///     try server.start()
///     …
///     server.stop { journal.drain() }
///
/// The server also stops when its last reference is released.
public final class HTTPServer: Sendable {
  let configuration: Configuration
  private let handler: any RequestHandler
  private let state = Mutex<RunningServer?>(nil)
  let traffic = ServerCounters()

  /// Creates a server that does not listen yet.
  public init(configuration: Configuration, handler: any RequestHandler) {
    self.configuration = configuration
    self.handler = handler
  }

  deinit { stop {} }

  /// The port that the server listens on; 0 if it is not running.
  public var port: Int { state.withLock { $0?.listening.port ?? 0 } }

  /// The maximum number of open connections. It is less than configured if the system allows fewer open files, and 0 if
  /// the server is not running.
  public var connectionLimit: Int { state.withLock { $0?.service.configuration.connections ?? 0 } }

  var running: SharedServerState? { state.withLock { $0?.service } }

  /// Starts to listen and serve on separate threads. Does nothing if already running.
  ///
  /// Side effects on the process: raises the limit of open files for the configured connections, as far as the system
  /// allows, and makes the allocator return large freed blocks to the system.
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

  /// Stops without losing an answer. Does nothing if not running.
  ///
  /// Steps: stops accepting connections and refuses further requests with 503; calls `drain`, in which the program
  /// finishes accepted requests; answers the remaining requests with 503; waits at most `stopGrace` until all answers
  /// are sent; closes all connections.
  public func stop(drain: () -> Void) {
    guard let running = state.withLock({ $0.take() }) else { return }
    let service = running.service
    running.stopAccepting()
    service.refuseFurtherRequests()
    drain()
    service.answerSuspended()
    service.waitUntilSent()
    running.closeConnections()
  }
}

extension HTTPServer {
  /// The server's address and limits. The defaults suit the smallest machine.
  public struct Configuration: Sendable {
    /// The address to listen on: IPv4, IPv6, or `localhost`, which means 127.0.0.1.
    var host: String
    /// The port to listen on; 0 lets the system choose a port, which `HTTPServer.port` returns.
    var port: Int
    /// The path below which clients reach the server, through a proxy that passes it on or removes it.
    public var mountPath = MountPath.root
    /// The number of threads that receive, decode and send.
    public var threads = 2
    /// The limit of open connections. Beyond it, the most idle connections of the address with the most connections are
    /// closed. If all connections are waiting for a response, new ones wait in the kernel's backlog.
    public var connections = 4096
    /// The limit of open connections per IPv4 address or IPv6 /64. Beyond it, the address's most idle connections are
    /// closed.
    var connectionsPerAddress = 1024
    /// Proxies in front of the server. `connectionsPerAddress` does not apply to them, because many clients share their
    /// connections.
    public var trustedProxies = TrustedProxies()
    /// The time after which a connection without any traffic is closed.
    var idleTimeout: Duration = .seconds(30)
    /// The time after which an unfinished request is ended, even if data still arrive: its connection is closed, or it
    /// is answered with 503 if the program's answer is pending.
    var requestDeadline: Duration = .seconds(60)
    /// The maximum number of bytes of a refused body that are read before the answer is sent, so that clients that
    /// write first can read it. For longer bodies the answer is sent at once and the connection is closed.
    var refusalReadLimit = 8 << 20
    /// Memory, in bytes, for the bodies of requests that were admitted without an account. A body that does not fit is
    /// answered with 503.
    public var bodiesInFlight = 64 << 20
    /// The minimum speed of a body, in bytes per second, after `bodyGrace`. The connection of a slower body is closed.
    var slowestBody = 1024
    /// The time for which a body may arrive at any speed.
    var bodyGrace: Duration = .seconds(10)
    /// The number of bodies that may be spooled at once; further bodies are answered with 503.
    var spools = 2
    /// The minimum progress of a spooled body, in bytes per `requestDeadline`. The connection of a slower body is
    /// closed.
    var slowestSpool = 1 << 20
    /// The monotonic clock of `requestDeadline`, `bodyGrace` and `slowestBody`, in milliseconds since an arbitrary
    /// moment. Tests set it by hand.
    var clock: @Sendable () -> Int64 = { SystemClock.monotonic }
    /// The clock for the time of receipt of requests, in milliseconds since 1970.
    public var wall: @Sendable () -> Int64 = { SystemClock.wall }
    /// The longest time for which `stop` waits until answers are sent.
    var stopGrace: Duration = .seconds(5)

    public init(host: String = "127.0.0.1", port: Int = 0) {
      self.host = host
      self.port = port
    }
  }
}

extension Duration {
  /// The duration in whole milliseconds, at least 0.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, over) = seconds.multipliedReportingOverflow(by: 1000)
    return over ? .max / 4 : min(.max / 4, max(0, whole + attoseconds / 1_000_000_000_000_000))
  }
}

/// The error if a server cannot start.
public struct HTTPServerError: Error, CustomStringConvertible, Equatable {
  enum Code: Sendable {
    case invalidHost, invalidPort, addressInUse, addressNotAvailable, permissionDenied, system
  }

  /// The kind of failure.
  let code: Code
  /// The failed step, the address, and what to do about it.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// The error for a failed system call while listening at `address`. `number`: its `errno`.
  static func listening(at address: String, _ number: Int32) -> HTTPServerError {
    switch number {
    case EADDRINUSE:
      .init(.addressInUse, "\(address) is already in use. Stop the program that listens there, or choose another port.")
    case EADDRNOTAVAIL:
      .init(.addressNotAvailable, "\(address) is not an address of this machine.")
    case EACCES, EPERM:
      .init(.permissionDenied, "Listening on \(address) is not permitted. Ports below 1024 require a privilege.")
    default:
      .init(.system, "Cannot listen on \(address): \(String(cString: strerror(number))).")
    }
  }
}

extension HTTPServer {
  /// Whether a client gets 200 for `GET path` over a socket. Blocks for at most about `seconds`; false if the server is
  /// not running.
  public func answers(_ path: String, within seconds: Int) -> Bool {
    let port = self.port
    guard port > 0, let port16 = UInt16(exactly: port),
      var address = try? SocketAddress(host: reachableHost, port: port16)
    else { return false }
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: max(1, seconds), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard address.connect(descriptor) == 0 else { return false }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return false }
    let expected = Array("HTTP/1.1 200 ".utf8)
    var answer = [UInt8](repeating: 0, count: expected.count)
    return recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL)) == expected.count && answer == expected
  }

  /// The address to connect to. A server that listens on all addresses is reached on loopback.
  private var reachableHost: String {
    switch configuration.host {
    case "0.0.0.0": "127.0.0.1"
    case "::", "[::]": "::1"
    default: configuration.host
    }
  }
}
