internal import CMicroHTTPD
internal import Glibc

/// An answer in libmicrohttpd's form. libmicrohttpd counts references with a lock of its own, so one may be queued on
/// many connections at once; the body is freed with the last of them.
///
/// `@unchecked Sendable`: both pointers are set in `init`, and what they point at never changes afterwards.
final class PreparedResponse: @unchecked Sendable {
  let status: Int
  /// Nil when memory ran out: the connection is closed without an answer.
  private let response: OpaquePointer?
  private let bytes: UnsafeRawBufferPointer

  init(status: Int, headers: [(String, String)], body: [UInt8]) {
    let headers = headers.filter { !HeaderField.isServers($0.0) && !$0.1.isEmpty }
    guard (200...599).contains(status), headers.allSatisfy({ HeaderField.isValid($0.0, $0.1) }) else {
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

  /// Hands the answer to the connection's own thread, which must be the caller.
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
