internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// One instance of libmicrohttpd and the thread that runs it. A connection belongs to one instance until it is closed.
///
/// libmicrohttpd can run such threads itself. But when a call of its threads to `epoll_wait` returns as many events as
/// fit, they call it again before handling those events (0.9.75), and may wait until `idleTimeout` while requests of
/// these events are unread. This thread waits outside libmicrohttpd. It also needs only one wake-up for all connections
/// that are added or resumed while it is busy.
///
/// `@unchecked Sendable`: only `init` sets `pointer` and `thread`, before the value is shared. Only the thread calls
/// libmicrohttpd and uses `opened`, except for resuming connections, which is allowed from any thread, and for `stop`,
/// after the thread has ended.
final class MicroHTTPDaemon: @unchecked Sendable {
  /// A socket that is not yet known to libmicrohttpd.
  private struct AcceptedSocket {
    let descriptor: Int32
    var address: sockaddr_storage
    let size: socklen_t
    let network: ClientAddress?
  }

  private enum Activity: UInt8, AtomicRepresentable {
    /// The thread is working, and will look for added and resumed connections before it works again.
    case working
    /// As `working`; in addition, the thread will not wait before its next work.
    case signalled
    /// The thread is waiting or about to wait.
    case waiting
  }

  let service: SharedServerState
  private let accepted = Mutex<[AcceptedSocket]>([])
  private let size = Atomic<Int>(0)
  private let activity = Atomic<Activity>(.working)
  private let isEnding = Atomic<Bool>(false)
  /// The event descriptor that ends the thread's wait.
  private let wakeUp: Int32
  private var pointer: OpaquePointer?
  private var thread: BackgroundThread?
  /// The number of connections that libmicrohttpd has reported as open. Used by the thread only.
  private var opened = 0

  /// Starts an instance for a service.
  init(_ service: SharedServerState) throws(HTTPServerError) {
    self.service = service
    let configuration = service.configuration
    // The acceptor enforces the limit. libmicrohttpd's is higher, because connections that were shut down are closed
    // somewhat later.
    let connections = UInt32(clamping: min(1 << 20, max(1, configuration.connections))) + 512
    let idle = UInt32(clamping: max(1, (configuration.idleTimeout.milliseconds + 999) / 1000))
    wakeUp = plumb_event_descriptor()
    pointer = plumb_start_daemon(
      connections, idle, receivedRequest, changedConnection, completedRequest,
      Unmanaged.passUnretained(self).toOpaque())
    do throws(HTTPServerError) {
      guard wakeUp >= 0, pointer != nil else {
        throw HTTPServerError(.system, "libmicrohttpd did not start. Check the limits of open files and memory.")
      }
      thread = try BackgroundThread { [self] in run() }
    } catch {
      stop()
      throw error
    }
  }

  /// The number of connections, including those that libmicrohttpd does not know yet.
  var connections: Int { size.load(ordering: .relaxed) }

  /// Passes an accepted socket to libmicrohttpd, on the instance's thread.
  func adopt(_ descriptor: Int32, _ address: sockaddr_storage, _ addressSize: socklen_t, of network: ClientAddress?) {
    size.add(1, ordering: .relaxed)
    service.registry.expect(network)
    accepted.withLock {
      $0.append(.init(descriptor: descriptor, address: address, size: addressSize, network: network))
    }
    wake()
  }

  /// Ends the thread and closes all connections. No connection may be suspended; otherwise libmicrohttpd aborts the
  /// process.
  func stop() {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    wake()
    thread?.join()
    if let pointer { MHD_stop_daemon(pointer) }
    if wakeUp >= 0 { close(wakeUp) }
  }

  /// Makes the thread work once more, if it is waiting.
  fileprivate func wake() {
    guard activity.exchange(.signalled, ordering: .acquiringAndReleasing) == .waiting else { return }
    var one: UInt64 = 1
    _ = write(wakeUp, &one, 8)
  }

  fileprivate func opened(_ descriptor: Int32, from peer: ClientAddress?) -> Connection {
    let connection = Connection(self, socket: descriptor, peer: peer)
    service.registry.add(connection)
    opened += 1
    return connection
  }

  fileprivate func closed(_ connection: Connection) {
    service.registry.remove(connection)
    size.subtract(1, ordering: .relaxed)
  }

  private func run() {
    guard let pointer else { return }
    plumb_block_broken_pipe_signal()
    var polled = [
      pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
      pollfd(fd: plumb_epoll_descriptor(pointer), events: Int16(POLLIN), revents: 0),
    ]
    while !isEnding.load(ordering: .sequentiallyConsistent) {
      addAccepted(to: pointer)
      MHD_run(pointer)
      let milliseconds = plumb_milliseconds_until_work(pointer)
      if milliseconds == 0 { continue }
      let (isWaiting, _) = activity.compareExchange(
        expected: .working, desired: .waiting, ordering: .acquiringAndReleasing)
      if isWaiting { poll(&polled, 2, milliseconds) }
      _ = activity.exchange(.working, ordering: .acquiringAndReleasing)
      if polled[0].revents != 0 {
        var count: UInt64 = 0
        _ = read(wakeUp, &count, 8)
        polled[0].revents = 0
      }
    }
  }

  /// Passes the accepted sockets to libmicrohttpd.
  private func addAccepted(to pointer: OpaquePointer) {
    let sockets = accepted.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    for var socket in sockets {
      let before = opened
      let isAdded = withUnsafePointer(to: &socket.address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          MHD_add_connection(pointer, socket.descriptor, $0, socket.size) == .YES
        }
      }
      // libmicrohttpd has closed the socket. If it had reported the connection as open, it has reported the end, too.
      if !isAdded && opened == before {
        service.registry.forget(socket.network)
        size.subtract(1, ordering: .relaxed)
      }
    }
  }
}

// The callbacks of libmicrohttpd. They are global functions, because a closure literal could inherit an actor's
// isolation and trap on a thread that is not the actor's.

/// Called by libmicrohttpd for the headers, for each piece of the body, at the end of the body (size 0), and after a
/// suspension.
private func receivedRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ piece: UnsafePointer<CChar>?,
  _ size: UnsafeMutablePointer<Int>?, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let connection, let url, let method, let size, let request else { return .NO }
  let target = plumb_target_of(request.pointee)
  guard let known = target == PLUMB_TARGET_WHOLE ? request.pointee : nil else {
    guard let socketContext = plumb_connection_context(connection) else { return .NO }
    request.pointee = socketContext
    return Unmanaged<Connection>.fromOpaque(socketContext).takeUnretainedValue()
      .begin(connection, url: url, method: method, version: version, target: target)
  }
  let state = Unmanaged<Connection>.fromOpaque(known).takeUnretainedValue()
  guard size.pointee > 0 else { return state.complete(connection, url: url, method: method) }
  let bytes = UnsafeRawBufferPointer(start: piece, count: size.pointee)
  let result = state.receive(bytes, on: connection, url: url, method: method)
  size.pointee = 0
  return result
}

private func completedRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ reason: MHD_RequestTerminationCode
) {
  guard let known = request?.pointee else { return }
  request?.pointee = nil
  if plumb_target_of(known) != PLUMB_TARGET_WHOLE { return }
  Unmanaged<Connection>.fromOpaque(known).takeUnretainedValue().finish()
}

/// Called by libmicrohttpd when a connection was opened, and before its socket is closed.
private func changedConnection(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
  guard let context, let connection, let socketContext else { return }
  let daemon = Unmanaged<MicroHTTPDaemon>.fromOpaque(context).takeUnretainedValue()
  if let known = socketContext.pointee {
    socketContext.pointee = nil
    daemon.closed(Unmanaged<Connection>.fromOpaque(known).takeRetainedValue())
  } else {
    var address = sockaddr_storage()
    let peer = plumb_connection_address(connection, &address) ? ClientAddress(address) : nil
    let opened = daemon.opened(plumb_connection_socket(connection), from: peer)
    socketContext.pointee = Unmanaged.passRetained(opened).toOpaque()
  }
}

/// A connection that libmicrohttpd does not process until it is resumed. It is resumed once, and not used afterwards.
///
/// `@unchecked Sendable`: `suspend` is called on the connection's own thread, before the value is shared; `resume` may
/// be called from any thread.
struct SuspendedConnection: @unchecked Sendable {
  private let connection: OpaquePointer
  private let daemon: MicroHTTPDaemon

  init(_ connection: OpaquePointer, of daemon: MicroHTTPDaemon) {
    (self.connection, self.daemon) = (connection, daemon)
  }

  func suspend() { MHD_suspend_connection(connection) }

  func resume() {
    MHD_resume_connection(connection)
    daemon.wake()
  }
}
