internal import CMicroHTTPD
internal import Glibc

extension Response {
  /// Writes the last answer of a connection straight to its socket and says that nothing follows. True when it fitted
  /// into the socket's buffer; it is not retried, for the answers concerned are short.
  func write(to socket: Int32) -> Bool {
    let bytes = closingMessage
    let sent = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    return sent == bytes.count && shutdown(socket, Int32(SHUT_WR)) == 0
  }

  private var closingMessage: [UInt8] {
    let fields = headers.filter { !HeaderField.isServers($0.0) && !ASCII.equal($0.0, "connection") }
    guard fields.allSatisfy({ HeaderField.isValid($0.0, $0.1) }) else { return Response.unsendable.closingMessage }
    let reason = MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? ""
    var head = "HTTP/1.1 \(status) \(reason)\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    head += "Connection: close\r\nContent-Length: \(body.count)\r\n\r\n"
    return [UInt8](head.utf8) + body
  }
}
