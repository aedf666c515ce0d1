internal import CMicroHTTPD
import Core
internal import Glibc

/// A response in libmicrohttpd's form. libmicrohttpd protects its reference count with a lock, so one response may be
/// queued on many connections at once. The body is freed with the last reference.
///
/// `@unchecked Sendable`: both pointers are set in `init`, and their memory never changes afterwards.
final class PreparedResponse: @unchecked Sendable {
  let status: Int
  /// libmicrohttpd's response; nil if memory was exhausted. The connection is then closed without an answer.
  private let response: OpaquePointer?
  private let bytes: UnsafeRawBufferPointer

  init(status: Int, headers: [(String, String)], body: [UInt8]) {
    let headers = headers.filter { !HeaderFieldCheck.isServers($0.0) && !$0.1.isEmpty }
    guard (200...599).contains(status), headers.allSatisfy({ HeaderFieldCheck.isValid($0.0, $0.1) }) else {
      let failure = Response.unsendable
      self.status = failure.status
      (response, bytes) = Self.make(failure.headers, failure.body)
      return
    }
    self.status = status
    (response, bytes) = Self.make(headers, body)
  }

  deinit { if let response { MHD_destroy_response(response) } }

  var body: [UInt8] { [UInt8](bytes) }

  /// Queues the response on a connection. Must be called on the connection's thread.
  func queue(on connection: OpaquePointer) -> MHD_Result {
    guard let response else { return .NO }
    return MHD_queue_response(connection, UInt32(status), response)
  }

  private static func make(
    _ headers: [(String, String)], _ body: [UInt8]
  ) -> (OpaquePointer?, UnsafeRawBufferPointer) {
    guard let memory = malloc(max(1, body.count)) else { return (nil, .init(start: nil, count: 0)) }
    body.withUnsafeBytes { if let source = $0.baseAddress { memory.copyMemory(from: source, byteCount: $0.count) } }
    guard let response = MHD_create_response_from_buffer_with_free_callback(body.count, memory, free) else {
      free(memory)
      return (nil, .init(start: nil, count: 0))
    }
    for (name, value) in headers where MHD_add_response_header(response, name, value) != .YES {
      MHD_destroy_response(response)
      return (nil, .init(start: nil, count: 0))
    }
    return (response, UnsafeRawBufferPointer(start: memory, count: body.count))
  }
}
