internal import CMicroHTTPD
internal import Glibc

/// A running instance of libmicrohttpd.
///
/// `@unchecked Sendable`: libmicrohttpd allows adding connections and stopping from any thread. The owner stops it
/// once, after the acceptor has ended.
struct MicroHTTPDaemon: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let context: Unmanaged<SharedServerState>

  init(pointer: OpaquePointer, context: Unmanaged<SharedServerState>) {
    self.pointer = pointer
    self.context = context
  }

  /// Passes an accepted socket to libmicrohttpd. Returns false if it cannot be served; libmicrohttpd has then closed
  /// it.
  func adopt(_ socket: Int32, _ address: inout sockaddr_storage, _ size: socklen_t) -> Bool {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { MHD_add_connection(pointer, socket, $0, size) == .YES }
    }
  }

  /// Closes all connections and ends the threads. No connection may be suspended; otherwise libmicrohttpd aborts the
  /// process.
  func stop() {
    MHD_stop_daemon(pointer)
    context.release()
  }
}

// The callbacks of libmicrohttpd. They are global functions, because a closure literal could inherit an actor's
// isolation and trap on a thread that is not the actor's.

extension MicroHTTPDaemon {
  /// Starts libmicrohttpd's threads for a service, which stays alive until `stop` returns.
  init(_ service: SharedServerState) throws(HTTPServerError) {
    let configuration = service.configuration
    let threads = UInt32(clamping: min(256, max(1, configuration.threads)))
    // The acceptor enforces the limit. libmicrohttpd divides its limit among its threads, so it is set higher, with
    // space for connections that were shut down and are about to close.
    let connections = UInt32(clamping: min(1 << 20, max(1, configuration.connections))) + threads * 512
    let idle = UInt32(clamping: max(1, (configuration.idleTimeout.milliseconds + 999) / 1000))
    let context = Unmanaged.passRetained(service)
    guard
      let pointer = plumb_start_daemon(
        threads, connections, idle, receivedRequest, changedConnection, completedRequest, context.toOpaque())
    else {
      context.release()
      throw HTTPServerError(.system, "libmicrohttpd did not start. Check the limits of threads, open files and memory.")
    }
    self.init(pointer: pointer, context: context)
  }
}

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
  let service = Unmanaged<SharedServerState>.fromOpaque(context).takeUnretainedValue()
  if let known = socketContext.pointee {
    socketContext.pointee = nil
    service.registry.remove(Unmanaged<Connection>.fromOpaque(known).takeRetainedValue())
  } else {
    var address = sockaddr_storage()
    let peer = plumb_connection_address(connection, &address) ? ClientAddress(address) : nil
    let opened = Connection(service, socket: plumb_connection_socket(connection), peer: peer)
    service.registry.add(opened)
    socketContext.pointee = Unmanaged.passRetained(opened).toOpaque()
  }
}

/// A connection that libmicrohttpd does not process until it is resumed. It is resumed once, and not used afterwards.
///
/// `@unchecked Sendable`: `suspend` is called on the connection's own thread, before the value is shared; `resume` may
/// be called from any thread.
struct SuspendedConnection: @unchecked Sendable {
  private let connection: OpaquePointer

  init(_ connection: OpaquePointer) { self.connection = connection }

  func suspend() { MHD_suspend_connection(connection) }
  func resume() { MHD_resume_connection(connection) }
}
