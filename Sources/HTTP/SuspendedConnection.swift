internal import CMicroHTTPD

/// A connection that libmicrohttpd leaves alone until it is resumed. Resumed once, and not touched afterwards.
///
/// `@unchecked Sendable`: `suspend` is called on the connection's own thread, before anybody else knows this value;
/// `resume` may be called from any thread.
struct SuspendedConnection: @unchecked Sendable {
  private let connection: OpaquePointer

  init(_ connection: OpaquePointer) { self.connection = connection }

  func suspend() { MHD_suspend_connection(connection) }
  func resume() { MHD_resume_connection(connection) }
}
