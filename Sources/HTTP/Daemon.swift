internal import CMicroHTTPD
internal import Glibc

/// A running libmicrohttpd.
///
/// `@unchecked Sendable`: libmicrohttpd allows adding connections and stopping from any thread; the owner stops once,
/// after the acceptor has ended.
struct Daemon: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let context: Unmanaged<ServerState>

  init(pointer: OpaquePointer, context: Unmanaged<ServerState>) {
    self.pointer = pointer
    self.context = context
  }

  /// Hands over an accepted socket. When it cannot be served libmicrohttpd closes it: false.
  func adopt(_ socket: Int32, _ address: inout sockaddr_storage, _ size: socklen_t) -> Bool {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { MHD_add_connection(pointer, socket, $0, size) == .YES }
    }
  }

  /// Closes all connections and ends the threads. libmicrohttpd aborts the process if a connection is suspended.
  func stop() {
    MHD_stop_daemon(pointer)
    context.release()
  }
}
